import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { countText } from './count-text.ts';

const plain = (text: string) => countTokens(text, { allowedSpecial: 'all' });
const root = join(import.meta.dirname, '../../../..');

function filesOf(folder: string, ending: string): string {
  const paths = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).toSorted();
  return paths
    .flatMap(path => (path.endsWith(ending) ? readFileSync(join(root, folder, path), 'utf8') : []))
    .join('\n');
}

/** A deterministic pseudo-random sequence of these characters. */
function mixed(characters: string, length: number): string {
  let state = 1;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return characters[state % characters.length];
  }).join('');
}

const prose = filesOf('docs', '.md');
const code = filesOf('src/agents', '.ts');
const json = readFileSync(join(root, 'package-lock.json'), 'utf8');
const ordinary: [string, string][] = [
  ['prose', prose.slice(0, 100_000)],
  ['code', code.slice(0, 100_000)],
  ['json', json.slice(0, 100_000)],
  ['json without spaces', JSON.stringify(JSON.parse(json)).slice(0, 80_000)],
  ['long prose', prose],
  ['long code', code],
];

const ideographs = Array.from({ length: 3_000 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join('');
const million = 1_000_000;
const unbroken: [string, string][] = [
  ['one letter', 'x'.repeat(million)],
  ['one sign', '='.repeat(million)],
  ['spaces', ' '.repeat(million)],
  ['slashes on lines of their own', '/\n'.repeat(million / 2)],
  ['letters', mixed('abcdefghijklmnopqrstuvwxyz', million)],
  ['DNA', mixed('ACGT', million)],
  ['CJK', mixed(ideographs, million)],
  ['runs between digits', `${'ab'.repeat(2_000)}1`.repeat(million / 4_001)],
];

describe('the count of a text', () => {
  it.each(ordinary)("equals the tokenizer's for ordinary texts: %s", (_, text) => {
    const tokens = plain(text);
    expect(Math.abs(countText(text, plain) - tokens)).toBeLessThan(tokens / 25);
  });

  it('is exact for a text without long runs, up to 131,072 characters', () => {
    const text = json.slice(0, 131_072);
    expect(countText(text, plain)).toBe(plain(text));
    expect(countText('', plain)).toBe(0);
  });

  it.each(unbroken)('is approximate when nothing breaks the text: %s', (_, text) => {
    const rate = plain(text.slice(0, 6_000)) / 6_000;
    const tokens = countText(text, plain);
    expect(tokens / (text.length * rate)).toBeGreaterThan(0.95);
    expect(tokens / (text.length * rate)).toBeLessThan(1.05);
  });

  it.each([...ordinary, ...unbroken])('passes the tokenizer little, and no long run: %s', (_, text) => {
    const given: string[] = [];
    countText(text, piece => given.push(piece));
    expect(given.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(Math.min(text.length, 131_072));
    expect(given.filter(piece => /[\p{L}\p{M}]{129}|[^\p{L}\p{N}]{129}/u.test(piece))).toEqual([]);
  });
});
