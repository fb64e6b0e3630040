import { createCssVariablesTheme, createHighlighterCore, type HighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import { languages } from './languages.ts';

/** A piece of a line of code: its text, and the kind of token when it has one. */
export type CodePiece = readonly [text: string, kind?: string];
export type CodeLine = readonly CodePiece[];

const theme = createCssVariablesTheme({ name: 'page', variablePrefix: '--' });
let opened: Promise<HighlighterCore> | undefined;

/** Returns the lines of a code with the kinds of its tokens; undefined for a language that is not known. */
export async function highlight(code: string, language: string): Promise<readonly CodeLine[] | undefined> {
  const load = Object.hasOwn(languages, language) ? languages[language] : undefined;
  if (load === undefined) return undefined;
  opened ??= createHighlighterCore({ themes: [theme], langs: [], engine: createJavaScriptRegexEngine() });
  const highlighter = await opened;
  await highlighter.loadLanguage(load);
  const lines = highlighter.codeToTokensBase(code, { lang: language, theme: 'page', tokenizeTimeLimit: 5_000 });
  return lines.map(tokens => tokens.map(({ content, color }) => toPiece(content, color)));
}

function toPiece(text: string, color = ''): CodePiece {
  const kind = /--token-([a-z-]+)/.exec(color)?.[1];
  return kind === undefined ? [text] : [text, kind];
}
