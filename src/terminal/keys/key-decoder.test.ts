import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { type InputEvent, keyNotation } from './key.ts';
import { escapeTimeoutMs, KeyDecoder, pasteTimeoutMs } from './key-decoder.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function decoder() {
  const clock = new ManualClock();
  const events: InputEvent[] = [];
  const keys = new KeyDecoder(clock, event => void events.push(event));
  return { clock, events, keys, shown: () => events.map(shown) };
}

const shown = (event: InputEvent) => (event.type === 'key' ? (event.text ?? keyNotation(event)) : event);

/** The events of a text in one chunk, after all pauses. */
function decoded(text: string) {
  const { clock, keys, shown: all } = decoder();
  keys.write(bytes(text));
  clock.advance(5_000);
  return all();
}

describe('keys of a terminal', () => {
  it('reads text, also characters beyond the first plane', () => {
    expect(decoded('aÄ字🙂')).toEqual(['a', 'Ä', '字', '🙂']);
  });

  it('reads control characters', () => {
    expect(decoded('\u0001\u0003\t\r\n\u007f\u0000\u001f')).toEqual([
      'ctrl+a',
      'ctrl+c',
      'tab',
      'enter',
      'ctrl+j',
      'backspace',
      'ctrl+space',
      'ctrl+_',
    ]);
  });

  it.each([
    ['\u001b[A', 'up'],
    ['\u001bOA', 'up'],
    ['\u001b[1;5C', 'ctrl+right'],
    ['\u001b[3~', 'delete'],
    ['\u001b[3;5~', 'ctrl+delete'],
    ['\u001b[Z', 'shift+tab'],
    ['\u001bOP', 'f1'],
    ['\u001b[[A', 'f1'],
    ['\u001b[15~', 'f5'],
    ['\u001b[13;2u', 'shift+enter'],
    ['\u001b[27;2;13~', 'shift+enter'],
    ['\u001b[13;5u', 'ctrl+enter'],
    ['\u001b\r', 'alt+enter'],
    ['\u001b[99;5u', 'ctrl+c'],
    ['\u001b[27u', 'escape'],
    ['\u001b[105;5u', 'tab'],
    ['\u001b[112;3u', 'alt+p'],
    ['\u001bp', 'alt+p'],
    ['\u001b\u007f', 'alt+backspace'],
    ['\u001b\u001b[A', 'alt+up'],
    ['\u001b[97:65;2u', 'A'],
    ['\u001b[57402u', '3'],
    ['\u001b[47:63;2u', '?'],
    ['\u001b[3^', 'ctrl+delete'],
    ['\u001b[1;1:1A', 'up'],
  ])('reads %j as %s', (text, name) => {
    expect(decoded(text)).toEqual([name]);
  });

  it('ignores mouse reports, releases of keys and unknown sequences', () => {
    expect(decoded('\u001b[<0;3;4M\u001b[<0;3;4m\u001b[M !"\u001b[97;1:3u\u001b[999~\u001b[57441ux')).toEqual(['x']);
  });

  it('reports focus and answers of the terminal', () => {
    expect(decoded('\u001b[I\u001b[O\u001b[?62;4c\u001b]11;rgb:0/0/0\u0007\u001b[12;40R')).toEqual([
      { type: 'focus', isFocused: true },
      { type: 'focus', isFocused: false },
      { type: 'reply', sequence: '\u001b[?62;4c' },
      { type: 'reply', sequence: '\u001b]11;rgb:0/0/0\u0007' },
      { type: 'reply', sequence: '\u001b[12;40R' },
    ]);
  });

  it('takes a lone Escape for a key after a pause, two of them for two', () => {
    const { clock, keys, shown: all } = decoder();
    keys.write(bytes('\u001b'));
    clock.advance(escapeTimeoutMs - 1);
    expect(all()).toEqual([]);
    clock.advance(1);
    expect(all()).toEqual(['escape']);
    keys.write(bytes('\u001b\u001b'));
    clock.advance(escapeTimeoutMs);
    expect(all()).toEqual(['escape', 'escape', 'escape']);
    expect(clock.timers).toBe(0);
  });

  it('drops a sequence that is cut off, and reads on', () => {
    const { clock, keys, shown: all } = decoder();
    keys.write(bytes('\u001b[1;'));
    clock.advance(escapeTimeoutMs);
    keys.write(bytes('5C'));
    keys.write(bytes('\u001b[1;'));
    clock.advance(5_000);
    keys.write(bytes('x'));
    expect(all()).toEqual(['ctrl+right', 'x']);
  });

  it('reads a paste as one text, with its line breaks and sequences as they are', () => {
    expect(decoded('a\u001b[200~/help\r\nx\r\u001b[A\u001b[201~b')).toEqual([
      'a',
      { type: 'paste', text: '/help\nx\n\u001b[A', isComplete: true },
      'b',
    ]);
  });

  it('ends a paste whose end marker is lost, after a pause', () => {
    const { clock, keys, shown: all } = decoder();
    keys.write(bytes('\u001b[200~one'));
    clock.advance(pasteTimeoutMs - 1);
    keys.write(bytes(' two'));
    clock.advance(pasteTimeoutMs - 1);
    expect(all()).toEqual([]);
    clock.advance(1);
    keys.write(bytes('x'));
    expect(all()).toEqual([{ type: 'paste', text: 'one two', isComplete: false }, 'x']);
  });

  it('emits what is unfinished when it is closed', () => {
    const { clock, keys, shown: all } = decoder();
    keys.write(bytes('\u001b'));
    keys.close();
    expect(all()).toEqual(['escape']);
    expect(clock.timers).toBe(0);
  });
});

describe('the law of chunks', () => {
  const part = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 6 }),
    fc.constantFrom(
      '\u001b',
      '\u001b[A',
      '\u001b[1;5C',
      '\u001b[200~',
      '\u001b[201~',
      '\u001b[200~a字\u001b[201~',
      '\u001b[I',
      '\u001b[<1;2;3M',
      '\u001b]0;x\u0007',
      '\u001b[13;2u',
      '\r',
      '\u001b\u001b',
      '\u001b[',
      '🙂',
    ),
  );

  it('gives the same events however the bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), fc.array(fc.nat(80), { maxLength: 12 }), (parts, cuts) => {
        const all = bytes(parts.join(''));
        const whole = decoder();
        whole.keys.write(all);
        whole.keys.close();
        const cut = decoder();
        let at = 0;
        for (const to of [...cuts.toSorted((one, other) => one - other), all.length]) {
          cut.keys.write(all.subarray(at, Math.max(at, to)));
          at = Math.max(at, to);
        }
        cut.keys.close();
        expect(cut.events).toEqual(whole.events);
      }),
      { numRuns: 400 },
    );
  });

  it('never throws and always reads on, whatever arrives', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), noise => {
        const { clock, keys, events } = decoder();
        keys.write(noise);
        clock.advance(10_000);
        const before = events.length;
        keys.write(bytes('\u001b[200~z\u001b[201~'));
        clock.advance(10_000);
        const text = events.slice(before).map(event => (event.type === 'paste' ? event.text : ''));
        expect(text).toContain('z');
      }),
      { numRuns: 400 },
    );
  });
});
