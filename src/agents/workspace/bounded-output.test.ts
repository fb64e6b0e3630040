import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BoundedOutput } from './bounded-output.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('bounded output', () => {
  it('is complete while it fits, whatever the pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'é', '€', '😀', '\n'), { maxLength: 40 }), pieces => {
        const output = new BoundedOutput(200, 200);
        const whole = bytes(pieces.join(''));
        for (let at = 0; at < whole.length; at += 3) output.push(whole.subarray(at, at + 3));
        expect(output.text()).toBe(new TextDecoder().decode(whole));
        expect([output.total, output.leftOut]).toEqual([whole.length, 0]);
      }),
    );
  });

  it('is the beginning and the end, and counts the middle', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(40), { maxLength: 60 }),
        fc.nat(30),
        fc.integer({ min: 1, max: 30 }),
        (sizes, head, tail) => {
          const output = new BoundedOutput(head, tail);
          let text = '';
          for (const size of sizes) {
            const piece = Array.from({ length: size }, (_, index) => (text.length + index) % 10).join('');
            output.push(bytes(piece));
            text += piece;
          }
          const left = Math.max(0, text.length - head - tail);
          expect([output.total, output.leftOut]).toEqual([text.length, left]);
          expect(output.last(tail)).toBe(text.slice(-Math.min(tail, Math.max(text.length, 1))));
          if (left > 0)
            expect(output.text()).toBe(`${text.slice(0, head)}\n[… ${left} bytes omitted …]\n${text.slice(-tail)}`);
          else expect(output.text()).toBe(text);
        },
      ),
    );
  });

  it('splits no character where it is cut', () => {
    const output = new BoundedOutput(5, 5);
    output.push(bytes('€€€€€€'));
    expect(output.text()).toBe('€\n[… 8 bytes omitted …]\n€');
    expect(output.last(5)).toBe('€');
  });

  it('copies its pieces, so that the given bytes may be reused', () => {
    const output = new BoundedOutput(4, 4);
    const piece = bytes('abcdefgh');
    output.push(piece);
    piece.fill(0);
    expect(output.text()).toBe('abcdefgh');
  });
});
