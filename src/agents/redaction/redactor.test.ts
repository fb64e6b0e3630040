import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from './redactor.ts';

const secret = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...Array.from('abcXYZ019-_.~+/=')) },
      { weight: 1, arbitrary: fc.constantFrom(...Array.from('"\\ \'$%&?#:\n\t<>é€😀')) },
    ),
    { minLength: 6, maxLength: 40 },
  )
  .map(characters => characters.join(''));
const around = fc.string({ unit: 'grapheme', maxLength: 12 });

const json = (text: string) => JSON.stringify(text).slice(1, -1);
const ascii = (text: string) =>
  Array.from(json(text).split(''), unit =>
    unit.charCodeAt(0) < 127 ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  ).join('');
const form = (text: string) => new URLSearchParams({ a: text }).toString().slice(2);

/** The forms of a secret after encoding a text that contains it. */
const encodings: Record<string, (text: string) => string> = {
  'as it is': text => text,
  'in JSON': json,
  'in JSON inside JSON': text => json(json(text)),
  'in JSON inside JSON inside JSON': text => json(json(json(text))),
  'in JSON of ASCII only': ascii,
  'in a URL': encodeURIComponent,
  'in a URL with small letters': text => encodeURIComponent(text).replaceAll(/%../g, code => code.toLowerCase()),
  'in a URL inside a URL': text => encodeURIComponent(encodeURIComponent(text)),
  'in a form': form,
  'in JSON inside a URL': text => encodeURIComponent(json(text)),
};

const base64: Record<string, (bytes: Buffer) => string> = {
  base64: bytes => bytes.toString('base64'),
  base64url: bytes => bytes.toString('base64url'),
  'base64 in JSON with escaped slashes': bytes => bytes.toString('base64').replaceAll('/', '\\/'),
  'base64 in a URL': bytes => encodeURIComponent(bytes.toString('base64')),
  'base64 in lines': bytes => bytes.toString('base64').replaceAll(/.{8}/g, '$&\n'),
  'base64 in lines in JSON': bytes => bytes.toString('base64').replaceAll(/.{8}/g, '$&\\n'),
};

/** The base64 characters that only the secret determines. */
function coreOf(value: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before % 3), Buffer.from(value)]);
  return bytes
    .toString('base64')
    .slice(Math.ceil(((before % 3) * 8) / 6), Math.floor((bytes.length * 8) / 6))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}

describe('a redactor', () => {
  it('replaces values, the longest first, and ignores short ones', () => {
    const { text } = createRedactor(['secret-1', 'secret-1-and-more', 'short']);
    expect(text('secret-1-and-more secret-1 short')).toBe('[redacted] [redacted] short');
    expect(createRedactor([]).text('anything')).toBe('anything');
  });

  it.each(Object.entries(encodings))('removes every trace of a secret %s', (_, encode) => {
    fc.assert(
      fc.property(secret, around, around, (value, before, after) => {
        const redacted = createRedactor([value]).text(`${encode(before)}${encode(value)}${encode(after)}`);
        expect(redacted).toContain('[redacted]');
        expect(redacted.replaceAll('[redacted]', '\0')).not.toContain(encode(value));
      }),
    );
  });

  it.each(Object.entries(base64))('removes every trace of a secret in %s, at any alignment', (_, encode) => {
    fc.assert(
      fc.property(secret, fc.uint8Array({ maxLength: 7 }), fc.uint8Array({ maxLength: 7 }), (value, before, after) => {
        const encoded = encode(Buffer.concat([before, Buffer.from(value), after]));
        const shown = createRedactor([value]).text(`x=${encoded};`);
        const plain = decodeURIComponent(shown.replaceAll(/\\n|\n|\\(?=\/)/g, ''));
        expect(shown).toContain('[redacted]');
        expect(plain.replaceAll('+', '-').replaceAll('/', '_')).not.toContain(coreOf(value, before.length));
      }),
    );
  });

  it('keeps JSON valid, whatever the secret is', () => {
    fc.assert(
      fc.property(
        fc.oneof(secret, fc.constantFrom('":"a","', '1234567', '"},{"a', 'abcdef\\')),
        fc.json(),
        (value, other) => {
          const line = JSON.stringify({ seq: 1_234_567, other, value: `a${value}b`, nested: json(value), [value]: 1 });
          const shown = JSON.parse(createRedactor([value]).json(line)) as Record<string, unknown>;
          expect(shown['seq']).toBe(1_234_567);
          for (const text of [shown['value'], shown['nested'], ...Object.keys(shown)])
            expect(text).not.toContain(value);
        },
      ),
    );
  });

  it('does not change text without a secret', () => {
    const { text, json: redactJson } = createRedactor(['sk-live-0123456789', 'correct horse "battery" staple']);
    const ordinary = JSON.stringify({ text: 'correct horse, %25 and \\\\u0022', data: 'c2stbGl2ZS0wMTIz' });
    expect(text(ordinary)).toBe(ordinary);
    expect(redactJson(ordinary)).toBe(ordinary);
  });

  it('reads text full of partial secrets in one pass', () => {
    const { text } = createRedactor(['\\\\\\\\\\\\a', 'aaaaaaaaaaaaaaab', '%25%25%25%25x']);
    for (const part of ['\\', 'a', '%25', '%2525', '\\u005c'])
      expect(text(part.repeat(5_000))).toHaveLength(part.length * 5_000);
  });
});
