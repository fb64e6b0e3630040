import { createParser, type EventSourceMessage } from 'eventsource-parser';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeSse, encodeSseComment } from './framing.ts';

function parse(text: string): EventSourceMessage[] {
  const messages: EventSourceMessage[] = [];
  createParser({ onEvent: message => messages.push(message) }).feed(text);
  return messages;
}

describe('a server-sent event', () => {
  it('is a frame with its id, name and data', () => {
    expect(encodeSse({ id: 7, event: 'error', data: '{"a":1}' })).toBe('id: 7\nevent: error\ndata: {"a":1}\n\n');
    expect(encodeSse({ data: '' })).toBe('data: \n\n');
  });

  it('keeps data of several lines in one frame', () => {
    expect(encodeSse({ data: 'a\r\nb\rc\nd' })).toBe('data: a\ndata: b\ndata: c\ndata: d\n\n');
  });

  it('cannot be made to carry a second frame by what is in it', () => {
    const frame = encodeSse({ id: '1\n\ndata: x', event: 'a\r\n\r\nb', data: 'c' });
    expect(parse(frame)).toEqual([{ id: '1data: x', event: 'ab', data: 'c' }]);
    expect(parse(encodeSseComment('still here\n\ndata: x'))).toEqual([]);
  });

  it('is read back as it was written', () => {
    const word = fc.string({ unit: 'grapheme' }).filter(text => !/[\r\n\0]/.test(text));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), fc.array(word, { minLength: 1 }))), frames => {
        const text = frames.map(([id, lines]) => encodeSse({ id, data: lines.join('\n') })).join('');
        expect(parse(text)).toEqual(
          frames.map(([id, lines]) => ({ id: String(id), data: lines.join('\n'), event: undefined })),
        );
      }),
    );
  });
});
