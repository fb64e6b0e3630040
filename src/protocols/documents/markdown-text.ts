import type { Token } from 'marked';
import { lexMarkdown, withLineFeeds } from '../../projections/presentation/lex-markdown.ts';

/**
 * Returns Markdown in which nothing is read as HTML: what could begin a tag or a comment outside of code is escaped.
 */
export function withoutTags(markdown: string): string {
  if (!markdown.includes('<')) return markdown;
  const text = withLineFeeds(markdown);
  const { blocks } = lexMarkdown(text, true);
  return escapeAround(
    text,
    blocks.map(({ token }) => token),
  );
}

/** Escapes a text but for the code among its tokens; a token whose text is not found as it is, is escaped whole. */
function escapeAround(raw: string, tokens: readonly Token[]): string {
  let [written, at] = ['', 0];
  for (const token of tokens) {
    const place = token.raw === '' ? -1 : raw.indexOf(token.raw, at);
    if (place < 0) continue;
    const inner = 'tokens' in token && Array.isArray(token.tokens) ? token.tokens : itemsOf(token);
    const isCode = token.type === 'code' || token.type === 'codespan';
    written += escapeTags(raw.slice(at, place)) + (isCode ? token.raw : escapeAround(token.raw, inner));
    at = place + token.raw.length;
  }
  return written + escapeTags(raw.slice(at));
}

function itemsOf(token: Token): readonly Token[] {
  return token.type === 'list' ? (token['items'] as Token[]) : [];
}

function escapeTags(text: string): string {
  return text.replaceAll(/<(?=[a-z/!?])/gi, '&lt;');
}

/** Returns a text in a fence that is longer than any in it. */
export function fenceText(text: string, language: string): string {
  const fence = '`'.repeat(Math.max(3, longestTicks(text) + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Returns a text on one line as code. */
export function inlineCode(text: string): string {
  const ticks = '`'.repeat(longestTicks(text) + 1);
  const space = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${ticks}${space}${text}${space}${ticks}`;
}

function longestTicks(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(ticks => ticks.length));
}
