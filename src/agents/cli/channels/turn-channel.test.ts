import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lawRuns } from '../../../../test/support/run-size.ts';
import { RecordingHost } from '../../../../test/support/recorded-channel.ts';
import { ChannelEvents } from '../shared/channel-events.ts';
import type { ChannelHost, LiveAnswer, LiveTurn, LiveTurnEnd, SteerMessage } from '../contract/live-channel.ts';
import { promptText } from '../shared/prompt-content.ts';
import { toRecord } from '../shared/wire-value.ts';
import { RequestBook } from './request-book.ts';
import { TurnChannel } from './turn-channel.ts';

interface ToyTurn {
  readonly events: ChannelEvents;
  readonly unsent: string[];
}

/** A small protocol: each line is one of `{open}`, `{note}`, `{fail}`, `{wait}`, `{text}`, `{say}`, `{ask}`, `{done}`. */
class ToyChannel extends TurnChannel<ToyTurn> {
  readonly #book: RequestBook<string>;

  constructor(host: ChannelHost) {
    super(host, { cwd: '/', folder: '/', environment: {} });
    this.#book = new RequestBook(this.host);
  }

  protected connect(): void {
    this.host.send('hello');
  }

  protected takeBetweenTurns(message: unknown): boolean | 'refused' {
    const record = toRecord(message) ?? {};
    if ('wait' in record) {
      this.host.send('refused');
      return 'refused';
    }
    if ('open' in record) this.setReady({});
    else if ('note' in record) this.host.send('noted');
    else if ('fail' in record) this.fail({ message: 'It failed.', code: 'toy' });
    else return false;
    return true;
  }

  protected takeInTurn(turn: ToyTurn, message: unknown): boolean {
    const record = toRecord(message) ?? {};
    if ('wait' in record) return true;
    if (this.takeBetweenTurns(message) === true) return true;
    const { ask, text } = record;
    if (typeof text === 'string') turn.events.context.emit({ type: 'text', id: text, content: text });
    if (text === 'nonsense') throw new Error('It is not understood.');
    const reason = this.isInterrupted ? 'aborted' : 'complete';
    // The end of a turn may be known in two ways, by a record and by silence.
    if ('done' in record) for (const _ of ['record', 'silence']) this.endTurn(turn, reason);
    else if (typeof ask !== 'string' || this.#book.has(ask)) return text !== undefined;
    else
      this.#book.open({
        key: ask,
        questions: [{ id: ask, runId: 'run', kind: 'question', question: `${ask}?` }],
        settle: () => this.host.send(`answer ${ask}`),
        cancel: () => this.host.send(`cancel ${ask}`),
      });
    return true;
  }

  protected createTurn({ runId }: LiveTurn): ToyTurn {
    return { events: new ChannelEvents(this.host, runId), unsent: [] };
  }

  protected sendPrompt(_: ToyTurn, { content }: LiveTurn): void {
    this.host.send(promptText(content));
  }

  protected takeAnswer(requestId: string, answer: LiveAnswer): void {
    this.#book.answer(requestId, answer);
  }

  protected sendMessage({ unsent }: ToyTurn, { id }: SteerMessage): void {
    unsent.push(id);
  }

  protected stopTurn(): void {
    this.host.send('stop');
  }

  protected finishTurn({ events, unsent }: ToyTurn, reason: LiveTurnEnd['reason']): LiveTurnEnd {
    this.#book.cancelAll('The turn is over.');
    events.within(undefined, () => events.context.close());
    return { reason, unsent };
  }

  protected describeUnopened() {
    return { message: 'It ended before its session was open.', code: 'toy' };
  }
}

type Step =
  | { readonly line: object }
  | { readonly call: 'prompt' | 'interrupt' | 'closed' }
  | { readonly answer: string };

function openChannel() {
  const host = new RecordingHost();
  const channel = new ToyChannel(host);
  let lines = 0;
  const receive = (line: object | string) => channel.receive(JSON.stringify(line), ++lines);
  const raws = () => host.events.flatMap(event => (event.type === 'unknown' ? [event.raw] : []));
  return { host, channel, receive, raws };
}

describe('a channel', () => {
  it('opens once, takes one turn at a time, and is ready for the next', () => {
    const { host, channel, receive } = openChannel();
    channel.prompt({ runId: 'r', content: 'too early' });
    channel.open();
    channel.open();
    receive({ open: 1 });
    receive({ open: 1 });
    channel.prompt({ runId: 'r', content: 'one' });
    channel.prompt({ runId: 'r', content: 'beside it' });
    receive({ done: 1 });
    channel.prompt({ runId: 'r', content: 'two' });
    expect(host.sent).toEqual(['hello', 'one', 'two']);
    expect(host.trace).toEqual([{ ready: {} }, { turnEnded: { reason: 'complete', unsent: [] } }]);
  });

  it('emits what a message says before it asks about it', () => {
    const { host, channel, receive } = openChannel();
    channel.open();
    receive({ open: 1 });
    channel.prompt({ runId: 'r', content: 'one' });
    receive({ text: 'I ask.', ask: 'q' });
    expect(host.trace.slice(1).flatMap(call => Object.keys(call))).toEqual(['emit', 'request']);
  });

  it('keeps a message as unknown when its handler throws', () => {
    const { channel, receive, raws } = openChannel();
    channel.open();
    receive({ open: 1 });
    channel.prompt({ runId: 'r', content: 'one' });
    receive({ text: 'nonsense' });
    expect(raws()).toEqual([{ text: 'nonsense' }]);
  });

  it('shows a message that was refused between turns as unknown, and refuses it once', () => {
    const { host, channel, receive, raws } = openChannel();
    channel.open();
    receive({ open: 1 });
    receive({ wait: 1 });
    channel.prompt({ runId: 'r', content: 'one' });
    receive({ done: 1 });
    channel.prompt({ runId: 'r', content: 'two' });
    expect(raws()).toEqual([{ wait: 1 }]);
    expect(host.sent.filter(sent => sent === 'refused')).toHaveLength(1);
  });

  it('keeps messages between turns for the next one, the newest 1,000', () => {
    const { channel, receive, raws } = openChannel();
    channel.open();
    receive({ open: 1 });
    for (let n = 1; n <= 1_001; n++) receive({ say: n });
    channel.prompt({ runId: 'r', content: 'go' });
    expect(raws()).toEqual(Array.from({ length: 1_000 }, (_, index) => ({ say: index + 2 })));
  });

  it('stops a turn once, and returns the messages that it did not take', () => {
    const { host, channel, receive } = openChannel();
    channel.open();
    receive({ open: 1 });
    channel.prompt({ runId: 'r', content: 'go' });
    channel.steer({ id: 'm', content: 'also this' });
    channel.interrupt();
    channel.interrupt();
    receive({ done: 1 });
    expect(host.sent).toEqual(['hello', 'go', 'stop']);
    expect(host.ends).toEqual([{ reason: 'aborted', unsent: ['m'] }]);
  });

  it('fails when the program ends before the session is open, and not again', () => {
    const { host, channel, receive } = openChannel();
    channel.open();
    channel.closed();
    channel.closed();
    receive({ open: 1 });
    expect(host.trace).toEqual([{ failed: { message: 'It ended before its session was open.', code: 'toy' } }]);
  });

  it('ends each turn and each request once, loses no message, and does nothing after its end, in any order', () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const step: fc.Arbitrary<Step> = fc.oneof(
      { weight: 4, arbitrary: fc.constant({ line: { say: 1 } }) },
      { weight: 2, arbitrary: name.map(ask => ({ line: { ask } })) },
      { weight: 2, arbitrary: fc.constant({ line: { done: 1 } }) },
      { weight: 1, arbitrary: fc.constant({ line: { fail: 1 } }) },
      { weight: 3, arbitrary: fc.constant({ call: 'prompt' as const }) },
      { weight: 1, arbitrary: fc.constantFrom({ call: 'interrupt' as const }, { call: 'closed' as const }) },
      { weight: 2, arbitrary: name.map(answer => ({ answer })) },
    );
    const law = fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const { host, channel, receive } = openChannel();
      channel.open();
      receive({ open: 1 });
      for (const each of steps)
        if ('line' in each) receive(each.line);
        else if ('answer' in each) channel.answer(each.answer, { outcome: 'answer', answer: 'x' });
        else if (each.call === 'prompt') channel.prompt({ runId: 'r', content: 'go' });
        else channel[each.call]();
      channel.closed();
      const before = JSON.stringify([host.trace, host.sent]);
      for (const line of [{ say: 1 }, { note: 1 }, { fail: 1 }]) receive(line);
      channel.answer('a', { outcome: 'reject' });
      channel.prompt({ runId: 'r', content: 'go' });
      channel.interrupt();
      channel.closed();
      expect(JSON.stringify([host.trace, host.sent]), 'nothing happens after the end').toBe(before);

      const count = (text: string) => host.sent.filter(sent => sent === text).length;
      expect(host.ends).toHaveLength(count('go'));
      const replies = host.sent.filter(sent => /^(answer|cancel) /.test(sent));
      expect(replies, 'each request is answered once').toHaveLength(host.requests.length);
      expect(host.withdrawn).toHaveLength(host.sent.filter(sent => sent.startsWith('cancel ')).length);
      const shown = host.events.flatMap(({ line, ...event }) =>
        line !== undefined && event.type === 'unknown' && 'say' in (event.raw as object) ? [line] : [],
      );
      expect(shown, 'no message is lost, repeated or out of order').toEqual(shownLines(steps));
    });
    fc.assert(law, { numRuns: lawRuns(500) });
  });
});

/** The numbers of the lines that are shown in a turn: each waits for one, and an early end of a turn lets the others wait. */
function shownLines(steps: readonly Step[]): number[] {
  const shown: number[] = [];
  const waiting: { readonly line: object; readonly number: number }[] = [];
  let isInTurn = false;
  // The first line opened the session.
  let number = 1;
  const take = (message: { readonly line: object; readonly number: number }) => {
    if (!isInTurn) waiting.push(message);
    else if ('done' in message.line) isInTurn = false;
    else if ('say' in message.line) shown.push(message.number);
  };
  for (const each of steps) {
    if ('line' in each) number++;
    if (('call' in each && each.call === 'closed') || ('line' in each && 'fail' in each.line)) return shown;
    if ('line' in each) take({ line: each.line, number });
    else if ('call' in each && each.call === 'prompt' && !isInTurn) {
      isInTurn = true;
      for (const message of waiting.splice(0)) take(message);
    }
  }
  return shown;
}
