import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from './redactor.ts';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import { RedactedEvents } from './redacted-events.ts';

const secret = 'sk-live-"0123"';
const redactor = createRedactor([secret]);
const ts = '2026-01-01T00:00:00.000Z';
const text = (seq: number, content: string, id = 't', runId = 'r'): LoggedEvent => ({
  type: 'text',
  runId,
  id,
  content,
  seq,
  ts,
});
const other = (seq: number, runId = 'r'): LoggedEvent => ({
  type: 'tool_start',
  runId,
  id: 'c',
  name: 'x',
  seq,
  ts,
});
const contents = (events: readonly LoggedEvent[]) =>
  events.map(event => ('content' in event ? event.content : event.type));

/** Cuts a text at random places. */
const pieces = (whole: string) =>
  fc
    .array(fc.nat(whole.length), { maxLength: 12 })
    .map(cuts => [0, ...cuts.toSorted((a, b) => a - b), whole.length])
    .map(cuts => cuts.slice(1).map((end, index) => whole.slice(cuts[index], end)));

describe('the events of a thread that readers see', () => {
  it('hold back a fragment that ends with the beginning of a secret', () => {
    const events = new RedactedEvents(redactor);
    expect(contents(events.push(text(1, 'The key is ')))).toEqual(['The key is ']);
    expect(events.push(text(2, 'now sk-live'))).toEqual([]);
    expect(contents(events.push(text(3, '-"0123". Bye')))).toEqual(['now [redacted]', '. Bye']);
  });

  it('show it when the text continues otherwise, or its run does something else', () => {
    const events = new RedactedEvents(redactor);
    events.push(text(1, 'sk-live'));
    expect(contents(events.push(text(2, ' music')))).toEqual(['sk-live', ' music']);
    events.push(text(3, 'sk-live'));
    expect(events.push(other(4, 'another'))).toEqual([]);
    expect(contents(events.push(other(5)))).toEqual(['sk-live', 'tool_start', 'tool_start']);
    expect(contents(events.push(text(6, '-"0123" x')))).toEqual(['[redacted] x']);
  });

  it('hold back nothing that a person is asked, in whatever run', () => {
    const events = new RedactedEvents(redactor);
    events.push(text(1, 'sk-live'));
    const relay = {
      type: 'relay',
      runId: 'another',
      id: 'q',
      relayKind: 'question',
      question: '?',
      seq: 2,
      ts,
    } as const;
    expect(contents(events.push(relay))).toEqual(['sk-live', 'relay']);
  });

  it('hold back no more than so many events', () => {
    const events = new RedactedEvents(redactor);
    const shown = [text(1, 'sk-live'), ...Array.from({ length: 300 }, (_, index) => other(index + 2, 'another'))];
    expect(shown.flatMap(event => events.push(event)).map(({ seq }) => seq)).toEqual(shown.map(({ seq }) => seq));
  });

  it('never show a secret, wherever its text is cut and whatever comes between', () => {
    const forms = [secret, JSON.stringify(secret), encodeURIComponent(secret), Buffer.from(secret).toString('base64')];
    const whole = fc.constantFrom(...forms).map(form => `It is ${form}, sk- and ${form}${form}`);
    fc.assert(
      fc.property(whole.chain(pieces), fc.infiniteStream(fc.nat(4)), (cut, choice) => {
        const all: LoggedEvent[] = [];
        for (const piece of cut) {
          if (choice.next().value === 0) all.push(text(all.length + 1, 'sk-li', 'another'));
          all.push(text(all.length + 1, piece));
        }
        const events = new RedactedEvents(redactor);
        const shown = [...all.flatMap(event => events.push(event)), ...events.end()];
        expect(shown.map(({ seq }) => seq)).toEqual(all.map(({ seq }) => seq));
        const said = contents(shown.filter(event => (event as { id?: string }).id === 't')).join('');
        // Two characters may be shown before it is known that a secret begins with them.
        for (const form of forms) expect(said).not.toContain(form.slice(2));
        expect(said.match(/\[redacted\]/g)).toHaveLength(3);
      }),
    );
  });

  it('are the same for a reader that starts anywhere', () => {
    fc.assert(
      fc.property(pieces(`It is ${secret}, and ${secret}.`), fc.nat(), (cut, start) => {
        const all = cut.map((piece, index) => text(index + 1, piece));
        const from = start % all.length;
        const first = new RedactedEvents(redactor);
        const shown = [...all.flatMap(event => first.push(event)), ...first.end()];
        const second = new RedactedEvents(redactor);
        second.prime(all.slice(0, from));
        const rest = [...all.slice(from).flatMap(event => second.push(event)), ...second.end()];
        const said = contents(rest).join('').replaceAll('[redacted]', '');
        expect(contents(shown.slice(from)).join('').replaceAll('[redacted]', '')).toBe(said);
      }),
    );
  });
});
