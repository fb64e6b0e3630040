import type { Token } from 'marked';
import { type Block, lexMarkdown, withLineFeeds } from '../../../src/projections/presentation/lex-markdown.ts';

/** How many blocks at the end may still change when text follows: a line that grows can join the block before it. */
const openBlocks = 2;

/**
 * Reads a Markdown text that grows. Only the blocks at its end are parsed again; those before keep their identity. Once
 * the text is whole it is parsed as such, so every way of growing ends with the same blocks.
 */
export class MarkdownStream {
  #text = '';
  #isWhole = false;
  #blocks: readonly Block[] = [];
  /** How many of the blocks are not parsed again. */
  #closed = 0;

  /** Returns the blocks of the text; `isWhole` when no more follows. */
  read(source: string, isWhole: boolean): readonly Block[] {
    const text = withLineFeeds(source);
    if (text === this.#text && isWhole === this.#isWhole) return this.#blocks;
    this.#blocks = isWhole ? this.#readWhole(text) : this.#readMore(text);
    this.#closed = Math.max(0, this.#blocks.length - openBlocks);
    this.#text = text;
    this.#isWhole = isWhole;
    return this.#blocks;
  }

  #readMore(text: string): readonly Block[] {
    const closed = text.startsWith(this.#text) ? this.#blocks.slice(0, this.#closed) : [];
    const start = closed.length === 0 ? 0 : (this.#blocks[this.#closed]?.start ?? 0);
    const { blocks } = lexMarkdown(text.slice(start), false, start);
    return [...closed, ...this.#kept(blocks, closed.length)];
  }

  #readWhole(text: string): readonly Block[] {
    const { blocks, hasDefinitions } = lexMarkdown(text, true);
    return hasDefinitions ? blocks : this.#kept(blocks, 0);
  }

  /** The blocks, each as it was before when it is the same. */
  #kept(blocks: readonly Block[], from: number): readonly Block[] {
    return blocks.map((block, index) => {
      const before = this.#blocks[from + index];
      return before !== undefined && isSame(before, block) ? before : block;
    });
  }
}

function isSame(a: Block, b: Block): boolean {
  return a.start === b.start && a.isOpen === b.isOpen && a.token.raw === b.token.raw && isSameToken(a.token, b.token);
}

/** The raw text alone is not enough: what follows a block can change which of its spaces count. */
function isSameToken(a: Token, b: Token): boolean {
  return a.type === b.type && ('text' in a ? a.text : undefined) === ('text' in b ? b.text : undefined);
}
