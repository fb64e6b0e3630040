import { Lexer, Tokenizer, type Token, type Tokens } from 'marked';

/** A block of a text, by where it starts. */
export interface Block {
  readonly start: number;
  readonly token: Token;
  /** Whether more text may still become part of it: it is a code block without its end. */
  readonly isOpen: boolean;
}

/** Texts above these sizes are not parsed further: emphasis and tables take quadratic time. */
const mostInlineChars = 20_000;
const mostDelimiters = 1_000;
const mostCells = 20_000;

class BoundedTokenizer extends Tokenizer {
  override table(src: string): Tokens.Table | undefined {
    const end = src.search(/\n[ \t]*(?:\n|$)/);
    const lines = src.slice(0, end === -1 ? undefined : end).split('\n');
    const columns = (lines[0] ?? '').split('|').length;
    return columns * lines.length > mostCells ? undefined : super.table(src);
  }
}

class BoundedLexer extends Lexer {
  constructor() {
    super({ gfm: true, tokenizer: new BoundedTokenizer() });
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (src.length <= mostInlineChars && countDelimiters(src) <= mostDelimiters) return super.inlineTokens(src, tokens);
    tokens.push({ type: 'text', raw: src, text: src });
    return tokens;
  }
}

function countDelimiters(text: string): number {
  let count = 0;
  for (const _ of text.matchAll(/[*_~`[<]/g)) if (++count > mostDelimiters) break;
  return count;
}

/** Returns a text with the line ends that the lexer works on. */
export function withLineFeeds(text: string): string {
  return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
}

/** The blocks of a text, and whether it defines link targets, which blocks before them may use. */
export interface LexedText {
  readonly blocks: readonly Block[];
  readonly hasDefinitions: boolean;
}

/**
 * Splits Markdown into its blocks; `isWhole` when no more text follows. Nesting that is too deep to parse is one block of
 * plain text. Takes a text with line feeds only.
 */
export function lexMarkdown(text: string, isWhole: boolean, start = 0): LexedText {
  let tokens: Token[];
  let hasDefinitions = false;
  try {
    const lexer = new BoundedLexer();
    tokens = lexer.lex(text);
    hasDefinitions = Object.keys(lexer.tokens.links).length > 0;
  } catch {
    // It is nested too deep.
    const plain: Token = { type: 'text', raw: text, text };
    tokens = [{ type: 'paragraph', raw: text, text, tokens: [plain] }];
  }
  const blocks: Block[] = [];
  let at = start;
  for (const token of tokens) {
    if (token.type !== 'space' && token.type !== 'def') blocks.push({ start: at, token, isOpen: false });
    at += token.raw.length;
  }
  const last = blocks.at(-1);
  if (last && !isWhole && isOpenFence(last.token)) blocks[blocks.length - 1] = { ...last, isOpen: true };
  return { blocks, hasDefinitions };
}

/** Whether a code block has no closing line yet; the line may still grow, so it must have ended. */
function isOpenFence({ type, raw }: Token): boolean {
  const mark = /^ {0,3}(`{3,}|~{3,})/.exec(raw)?.[1];
  if (type !== 'code' || mark === undefined) return false;
  const end = raw.trimEnd().split('\n').at(-1)?.trim() ?? '';
  return raw.indexOf('\n') === -1 || !end.startsWith(mark) || end.replaceAll(mark[0] ?? '', '') !== '';
}
