// oxlint-disable no-control-regex
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ansiOfLine, span } from './styled-line.ts';

describe('a line that the screen writes', () => {
  it('has no control characters but those of its styles, whatever its text is', () => {
    const code = fc.integer({ min: 0, max: 0xffff }).map(each => String.fromCharCode(each));
    const text = fc
      .array(fc.oneof(code, fc.constantFrom('\u001b[2J', '\u001b]0;t\u0007', '\u009b', '\n', '\r', '\u202e', 'a')))
      .map(parts => parts.join(''));
    fc.assert(
      fc.property(text, fc.constantFrom('colour', 'plain', 'none'), (given, inks) => {
        const written = ansiOfLine([span(given, 'bold', 'red'), span(given)], { inks, hasLinks: false });
        const bare = written.replaceAll(/\u001b\[(?:0|1|1;31)m/g, '');
        expect(bare).not.toMatch(
          /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\p{Cs}/u,
        );
      }),
    );
  });
});
