import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineReader, lineText } from './line-reader.ts';

const read = (bytes: Uint8Array, cuts: readonly number[], max?: number) => {
  const reader = new LineReader(max);
  const places = [...new Set(cuts.map(cut => cut % (bytes.length + 1)))].toSorted((a, b) => a - b);
  const pieces = [...places, bytes.length].flatMap((end, index) =>
    reader.push(bytes.subarray(index === 0 ? 0 : places[index - 1], end)),
  );
  return [...pieces, ...reader.end()];
};

describe('the line reader', () => {
  it('keeps characters and endings whole however the stream is cut', () => {
    const bytes = Buffer.from('{"a":"ü🦄"}\r\nzwei\n\nlast');
    fc.assert(
      fc.property(fc.array(fc.nat()), cuts => {
        const pieces = read(bytes, cuts);
        expect(pieces.map(piece => lineText(piece.bytes))).toEqual(['{"a":"ü🦄"}', 'zwei', '', 'last']);
        expect(Buffer.concat(pieces.map(piece => piece.bytes))).toEqual(bytes);
      }),
    );
  });

  it('returns a line that is too long in pieces, and continues with the next', () => {
    const bytes = Buffer.from(`${'x'.repeat(25)}\nshort\n`);
    fc.assert(
      fc.property(fc.array(fc.nat()), cuts => {
        const pieces = read(bytes, cuts, 10);
        expect(pieces.map(piece => piece.kind)).toEqual(['long', 'rest', 'rest', 'line']);
        expect(Buffer.concat(pieces.map(piece => piece.bytes))).toEqual(bytes);
      }),
    );
  });
});
