import { defined } from '../../base/defined.ts';
import { parseSystemReminder } from '../../control/conversations/system-reminder.ts';
import type { EventLog } from '../../log/event-log.ts';
import { readWindow, type ThreadWindow } from '../../log/window.ts';
import type { ViewPart } from '../../projections/reading/view-node.ts';
import { LoadedRange } from '../../projections/reading/ranges/loaded-range.ts';
import type { OpenThread } from './open-thread.ts';

/** A message of the person in a thread. */
export interface SentMessage {
  readonly messageId: string;
  readonly text: string;
  /** Milliseconds since 1970, when that is known. */
  readonly at: number | undefined;
}

/** About how many events are read at once. */
const windowEvents = 1_000;

/** The messages of the person in a thread: the newest ones at first, earlier ones on demand. */
export class SentMessages {
  readonly #read: (before?: number) => Promise<ThreadWindow>;
  /** The events that were read last; how many is bounded. */
  #range: LoadedRange;
  #messages: readonly SentMessage[] = [];

  private constructor(newest: ThreadWindow, read: (before?: number) => Promise<ThreadWindow>) {
    this.#read = read;
    this.#range = LoadedRange.of(newest, windowEvents);
    this.#collect(newest);
  }

  /** Reads the end of a thread. */
  static async open(log: EventLog, threadId: string): Promise<SentMessages> {
    const read = (before?: number) => readWindow(log, threadId, { limit: windowEvents, ...defined({ before }) });
    return new SentMessages(await read(), read);
  }

  /** The messages that were read, the oldest first. */
  get messages(): readonly SentMessage[] {
    return this.#messages;
  }

  get hasEarlier(): boolean {
    return this.#range.firstSeq > 1;
  }

  /** Reads earlier events until one of them is a message of the person. */
  async loadEarlier(): Promise<void> {
    const { length } = this.#messages;
    while (this.hasEarlier && this.#messages.length === length) {
      const window = await this.#read(this.#range.firstSeq);
      this.#range.addEarlier(window);
      this.#collect(window);
      // Restricts the range so that earlier events are read on the same branch.
      this.#range = this.#range.withoutLatest(1);
    }
  }

  /** Adds the loaded messages that precede those already collected. */
  #collect({ events }: ThreadWindow): void {
    const { nodes, hidden } = this.#range.view();
    const times = new Map(
      events.flatMap(({ type, runId, ts }) => (type === 'user' ? [[runId, Date.parse(ts)] as const] : [])),
    );
    const known = new Set(this.#messages.slice(0, windowEvents).map(({ messageId }) => messageId));
    const found = nodes.flatMap(({ id, role, text, runId = id }) => {
      if (role !== 'user' || known.has(id) || hidden.has(id) || parseSystemReminder(text) !== undefined) return [];
      return [{ messageId: id, text, at: times.get(runId) }];
    });
    this.#messages = [...found, ...this.#messages];
  }
}

/** Returns the id of the message in whose turn earlier messages were summarised last; undefined when none is known. */
export function summarisedIn(follower: OpenThread | undefined): string | undefined {
  let [isFound, id]: [boolean, string | undefined] = [false, undefined];
  follower?.reading.nodeList.findLast(({ id: nodeId, role, partList }) => {
    isFound ||= partList.findLast(part => isCompaction(part) || undefined) === true;
    if (isFound && role === 'user') id = nodeId;
    return id;
  });
  return id;
}

function isCompaction(part: ViewPart): boolean {
  if (part.kind !== 'fact' || part.event.type !== 'summary') return false;
  return part.event.kind === 'compaction' && part.event.active !== false;
}
