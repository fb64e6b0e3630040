import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lexMarkdown, withLineFeeds } from '../../../src/projections/presentation/lex-markdown.ts';
import { MarkdownStream } from './markdown-stream.ts';

const whole = (text: string) => lexMarkdown(withLineFeeds(text), true).blocks;
const typesOf = (text: string) => whole(text).map(({ token }) => token.type);

const pieces =
  'a|word |\n|\n\n|\r\n|- |  - |1. |> |# |```|```ts\n|~~~|---|===|**|_|`|[x](https://a.b)|<div>|</div>|<!--|-->|    |\t|' +
  '[ ] |[x] |![i](j)|https://a.b|\\|&amp;|*|+|~~|<script>|"t"|[a]: /u|#|2)';
const piece = fc.constantFrom(...pieces.split('|'), '| a | b |\n', '|---|---|\n');
const chunks = fc.array(piece, { maxLength: 40 });

/** Reads a text that grows by these chunks; the blocks while it grew, and those of the whole. */
function grow(parts: readonly string[]) {
  const stream = new MarkdownStream();
  let text = '';
  for (const part of parts) stream.read((text += part), false);
  return { open: stream.read(text, false), whole: stream.read(text, true) };
}

describe('Markdown that streams', () => {
  it('ends with the blocks of the whole, however it was cut', () => {
    fc.assert(
      fc.property(chunks, parts => {
        expect(grow(parts).whole).toEqual(whole(parts.join('')));
      }),
      { numRuns: 300 },
    );
  });

  it('shows while it grows what the whole shows, but for links defined later', () => {
    fc.assert(
      fc.property(chunks, parts => {
        const text = parts.join('');
        if (text.includes(']:')) return;
        const shown = grow(parts).open.map(({ start, token }) => ({ start, token }));
        expect(shown).toEqual(whole(text).map(({ start, token }) => ({ start, token })));
      }),
      { numRuns: 300 },
    );
  });

  it('keeps the identity of blocks that are closed, also when it ends', () => {
    const stream = new MarkdownStream();
    const text = 'One\n\n- two\n- three\n\n```\nfour\n```\n\nfive';
    const before = stream.read(text, false);
    const after = stream.read(`${text} and six`, true);
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toBe(before[1]);
    expect(after[2]).toBe(before[2]);
    expect(after[3]).not.toBe(before[3]);
  });

  it('has a code block open until its closing line', () => {
    const stream = new MarkdownStream();
    const isOpen = (text: string, isWhole = false) => stream.read(text, isWhole).at(-1)?.isOpen;
    expect(isOpen('```')).toBe(true);
    expect(isOpen('```ts\nlet a;\n``')).toBe(true);
    expect(isOpen('```ts\nlet a;\n```')).toBe(false);
    expect(isOpen('```ts\nlet a;\n```x')).toBe(true);
    expect(isOpen('```ts\nlet a;\n```x', true)).toBe(false);
  });

  it('has tables, nested and task lists, strikethrough and links', () => {
    expect(typesOf('| a |\n|---|\n| b |\n\n- [ ] c\n  - d\n\n~~e~~ https://f.g')).toEqual([
      'table',
      'list',
      'paragraph',
    ]);
  });
});

describe('hostile Markdown', () => {
  it.each([
    ['emphasis', '_a__'.repeat(50_000)],
    ['brackets', '['.repeat(100_000)],
    ['quotes', '>'.repeat(100_000)],
    ['lists', '- '.repeat(100_000)],
    ['a wide table', `${'|a'.repeat(5_000)}\n${'|-'.repeat(5_000)}\n${'|b\n'.repeat(5_000)}`],
    ['a long table', `|a|b|\n|-|-|\n${'|b|c|\n'.repeat(50_000)}`],
    ['HTML', '<a'.repeat(50_000)],
    ['a long line', 'x'.repeat(10_000_000)],
  ])('is parsed: %s', (_, text) => {
    expect(whole(text).length).toBeGreaterThan(0);
  });
});
