import assert from 'node:assert/strict';
import { type ErrorCode, SingletreeError } from '../../base/singletree-error.ts';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import type { AppendOptions, EventLog } from '../../log/event-log.ts';
import { textEvent } from './suite.ts';

/** An append or read, with its start and end as its caller saw them. */
interface Operation {
  readonly began: number;
  readonly ended: number;
}

interface Append extends Operation {
  readonly name: string;
  readonly size: number;
  readonly expectedSeq: number | undefined;
  readonly outcome: { readonly firstSeq: number; readonly lastSeq: number } | ErrorCode;
}

interface Read extends Operation {
  readonly seq: number;
}

/** Records appends to one thread and reads of it by any number of callers, and checks that they are linearisable. */
export class AppendHistory {
  readonly #threadId: string;
  readonly #appends: Append[] = [];
  readonly #reads: Read[] = [];
  #moment = 0;

  constructor(threadId: string) {
    this.#threadId = threadId;
  }

  /** Appends as many events as asked for; their contents name them. Returns the last seq, undefined when refused. */
  async append(log: EventLog, size: number, options: AppendOptions = {}): Promise<number | undefined> {
    const began = ++this.#moment;
    const name = `append ${began}`;
    const events = Array.from({ length: size }, (_, index) => textEvent(`${name}, event ${index}`));
    let outcome: Append['outcome'];
    try {
      outcome = await log.append(this.#threadId, events, options);
    } catch (error) {
      if (!SingletreeError.is(error)) throw error;
      outcome = error.code;
    }
    this.#appends.push({ name, size, expectedSeq: options.expectedSeq, outcome, began, ended: ++this.#moment });
    return typeof outcome === 'string' ? undefined : outcome.lastSeq;
  }

  /** Reads the newest seq of the thread. */
  async read(log: EventLog): Promise<number> {
    const began = ++this.#moment;
    const seq = (await log.getThread(this.#threadId))?.seq ?? 0;
    this.#reads.push({ seq, began, ended: ++this.#moment });
    return seq;
  }

  /**
   * Checks the history against what is stored: the appends that succeeded, in order of seq, are the whole log without a
   * gap, those that were refused left nothing, and no operation contradicts one that ended before it began.
   */
  check(stored: readonly LoggedEvent[]): void {
    const done = this.#appends.flatMap(append =>
      typeof append.outcome === 'string' ? [] : [{ ...append, ...append.outcome }],
    );
    const inOrder = done.toSorted((a, b) => a.firstSeq - b.firstSeq);
    const expected = inOrder.flatMap(({ name, size }) =>
      Array.from({ length: size }, (_, index) => `${name}, event ${index}`),
    );
    assert.deepEqual(
      stored.map(event => [event.seq, event.type === 'text' ? event.content : event.type]),
      expected.map((content, index) => [index + 1, content]),
    );
    for (const [index, append] of inOrder.entries()) {
      assert.equal(append.firstSeq, (inOrder[index - 1]?.lastSeq ?? 0) + 1, `${append.name} follows the one before`);
      if (append.expectedSeq !== undefined) assert.equal(append.firstSeq, append.expectedSeq + 1);
    }
    const before = (moment: number) => Math.max(0, ...done.map(each => (each.ended < moment ? each.lastSeq : 0)));
    const until = (moment: number) => Math.max(0, ...done.map(each => (each.began < moment ? each.lastSeq : 0)));
    for (const { name, began, firstSeq } of done)
      assert.ok(firstSeq > before(began), `${name} comes after every append that had ended when it began`);
    for (const { began, ended, seq } of this.#reads)
      assert.ok(
        seq >= before(began) && seq <= until(ended),
        `the seq ${seq} was the newest at some moment of the read`,
      );
    for (const { name, outcome, expectedSeq = 0, began, ended } of this.#appends)
      if (outcome === 'seq_conflict')
        assert.ok(
          until(ended) > expectedSeq || before(began) < expectedSeq,
          `${name} was refused because another seq was the newest`,
        );
  }
}
