// oxlint-disable no-control-regex
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { recordedStream } from '../../test/support/recorded-stream.ts';
import { createRedactor } from '../agents/redaction/redactor.ts';
import { hideSecrets } from './standard-output.ts';

const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\p{Cs}|\ufffd/u;
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.integer({ min: 0, max: 0xffff }).map(code => String.fromCharCode(code)),
      fc.constantFrom(
        '\r\u001b[20A\u001b[0J',
        '\u001b]52;c;aGk=\u0007',
        '\u009b2J',
        '\u202e',
        '\u2067',
        '\ud83d',
        '\n',
      ),
    ),
  )
  .map(parts => parts.join('').replaceAll('\ufffd', ''));

afterEach(() => hideSecrets(createRedactor([])));

describe('what is written to standard output or error', () => {
  it('has nothing that a terminal executes and no mark that reorders, whatever it is given', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, fc.boolean(), async (text, isTTY) => {
        const { stream, printed } = recordedStream({ isTTY });
        await stream.write(text);
        await stream.writeJson({ [text]: text });
        if (isTTY) await stream.writeBytes(Buffer.from(text.replaceAll(/\p{Cs}/gu, '')));
        expect(printed()).not.toMatch(unsafe);
      }),
    );
  });

  it('is JSON of the same value', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, fc.jsonValue(), async (text, value) => {
        const { stream, printed } = recordedStream({ isTTY: true });
        await stream.writeJson({ [text]: text, value });
        expect(JSON.parse(printed())).toEqual(JSON.parse(JSON.stringify({ [text]: text, value })));
      }),
    );
  });

  it('is exactly the bytes that it was given, when it is a file or a pipe', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), async bytes => {
        const { stream, bytesWritten } = recordedStream();
        await stream.writeBytes(bytes);
        expect(bytesWritten()).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it('redraws a line with its own control characters only', () => {
    const { stream, printed } = recordedStream({ isTTY: true });
    stream.redraw('read \u001b[2J 3');
    expect(printed()).toBe('\rread \\u{1b}[2J 3\u001b[K');
  });

  it('has no secret that is hidden, and stays JSON', async () => {
    hideSecrets(createRedactor(['sk-live-0123456']));
    const { stream, printed } = recordedStream();
    await stream.write('key sk-live-0123456\n');
    await stream.writeJson({ key: 'sk-live-0123456' });
    expect(printed()).toBe('key [redacted]\n{"key":"[redacted]"}\n');
  });
});
