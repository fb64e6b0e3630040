import assert from 'node:assert/strict';
import type { AgentEvent, LoggedEvent } from '../../events/vocabulary.ts';
import { type ErrorCode, SingletreeError } from '../../base/singletree-error.ts';
import type { EventLog } from '../../log/event-log.ts';

/** The two functions of a test runner that the suite needs: Vitest's, `node:test`'s or any other's. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => void;
  readonly it: (name: string, body: () => Promise<void>) => void;
}

/** How the suite gets at an implementation. */
export interface LogUnderTest {
  /** Opens a new, empty log with `now` as its clock, and with `uptime` for the end of leases if it has such a clock. */
  readonly open: (options: Clocks) => Promise<EventLog>;
  /** Closes a log and opens its store again; absent when the log stores nothing beyond `close`. */
  readonly reopen?: (log: EventLog, options: Clocks) => Promise<EventLog>;
  /** Whether leases end by `uptime`; one whose leases end by the clock of its server cannot be tested for jumps. */
  readonly leasesByUptime?: boolean;
  /** Opens the store of a log once more, as another process does; absent when only one process can use it. */
  readonly join?: (log: EventLog, options: Clocks) => Promise<EventLog>;
  /** How many bytes the store of a log has; absent when a text is stored again for each event that has it. */
  readonly storedBytes?: (log: EventLog) => Promise<number>;
}

export interface Clocks {
  /** The time of day, in milliseconds since 1970. */
  readonly now: () => number;
  /** A clock that never jumps, in milliseconds. */
  readonly uptime: () => number;
}

export interface Clock extends Clocks {
  advance(ms: number): void;
  /** Moves the time of day only. */
  jump(ms: number): void;
}

export interface Context {
  readonly log: EventLog;
  readonly clock: Clock;
}

/** Registers a test of one behaviour of the contract, with a new log that is closed afterwards. */
export type Law = (behaviour: string, body: (context: Context) => Promise<void>) => void;

/** Binds the laws to a runner and an implementation. */
export function lawsFor(runner: TestRunner, { open }: Pick<LogUnderTest, 'open'>): Law {
  return (behaviour, body) =>
    runner.it(behaviour, async () => {
      const clock = createClock();
      const log = await open({ now: clock.now, uptime: clock.uptime });
      try {
        await body({ log, clock });
      } finally {
        await log.close();
      }
    });
}

/** A clock that stays at its time until it is advanced. */
export function createClock(): Clock {
  let time = 1_000_000;
  let startedAt = Date.UTC(2025, 0, 1) - time;
  return {
    now: () => startedAt + time,
    uptime: () => time,
    advance: ms => {
      time += ms;
    },
    jump: ms => {
      startedAt += ms;
    },
  };
}

/** Asserts that a promise rejects with an error of this code. */
export async function refuses(code: ErrorCode, promise: Promise<unknown>): Promise<void> {
  await assert.rejects(promise, error => {
    assert.ok(SingletreeError.is(error), `expected a SingletreeError with code ${code}, got ${String(error)}`);
    assert.equal(error.code, code);
    return true;
  });
}

/** Returns any value typed as an event, as an untyped caller may pass it. */
export function untyped(value: unknown): AgentEvent {
  return value as AgentEvent;
}

/** One fragment of text. */
export function textEvent(content: string, id = 'stream'): AgentEvent {
  return { type: 'text', runId: 'run', id, content };
}

/** As many events as asked for, each with its number as content. */
export function textEvents(count: number, from = 1): AgentEvent[] {
  return Array.from({ length: count }, (_, index) => textEvent(String(from + index)));
}

/** The content of text events, in order. */
export function contents(events: readonly AgentEvent[]): string[] {
  return events.map(event => (event.type === 'text' ? event.content : event.type));
}

export function seqs(events: readonly LoggedEvent[]): number[] {
  return events.map(event => event.seq);
}

/** The whole numbers from `first` to `last`. */
export function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** Returns the first events of a tail and then closes it. */
export async function take<Value>(count: number, tail: AsyncIterable<Value>): Promise<Value[]> {
  const taken: Value[] = [];
  for await (const value of tail) {
    taken.push(value);
    if (taken.length === count) break;
  }
  return taken;
}

/** The next events of a tail that is read on afterwards. */
export async function takeNext<Value>(count: number, tail: AsyncIterator<Value>): Promise<Value[]> {
  const taken: Value[] = [];
  while (taken.length < count) {
    const next = await tail.next();
    assert.notEqual(next.done, true, `the tail ended after ${taken.length} events`);
    taken.push(next.value);
  }
  return taken;
}

/** Everything until the tail ends. */
export function drain<Value>(tail: AsyncIterable<Value>): Promise<Value[]> {
  return take(Number.POSITIVE_INFINITY, tail);
}

/** Lets everything that is ready run, so that a tail has read its history and waits. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve));
}
