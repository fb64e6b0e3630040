import { ChildRuns } from '../../../shared/child-runs.ts';
import type { ChannelHost } from '../../../contract/live-channel.ts';
import { ChannelEvents } from '../../../shared/channel-events.ts';
import type { LineContext } from '../../../shared/line-context.ts';
import { PartReader } from '../part-reader.ts';
import type { SessionBook } from './session-book.ts';

/** The run of one or several turns: the events of its session, and those of the sessions of its subagents. */
export class ServeRun {
  readonly events: ChannelEvents;
  readonly context: LineContext;
  readonly children: ChildRuns;
  readonly sessionId: string;
  readonly #book: SessionBook;
  /** The readers by the id of their run. */
  readonly #readers = new Map<string, PartReader>();

  constructor(host: ChannelHost, { runId, sessionId, book }: { runId: string; sessionId: string; book: SessionBook }) {
    this.events = new ChannelEvents(host, runId);
    this.context = this.events.context;
    this.children = new ChildRuns(this.context);
    this.sessionId = sessionId;
    this.#book = book;
  }

  get runId(): string {
    return this.context.runId;
  }

  /** Prepares another turn of the same run. */
  nextTurn(): void {
    this.context.forgetSteps(this.runId);
    this.context.forgive();
  }

  /** Returns the reader of a session and starts the run of a new subagent; undefined if the session is not ours. */
  findReader(sessionId: string): PartReader | undefined {
    const { context, children } = this;
    if (sessionId === this.sessionId) return this.#reader(context.runId, () => new PartReader({ context, children }));
    const runId = this.findRunId(sessionId);
    if (runId === undefined) return undefined;
    const self = () => children.get(sessionId);
    return this.#reader(runId, () => new PartReader({ context, children, runId, self }));
  }

  /** Returns the run of a session, like `readerOf`. */
  findRunId(sessionId: string): string | undefined {
    if (sessionId === this.sessionId) return this.runId;
    const running = this.children.get(sessionId);
    if (running !== undefined) return running.runId;
    if (this.children.has(sessionId) || !this.#book.isBelow(sessionId, this.sessionId)) return undefined;
    // It was started in an earlier turn, or its call is reported later.
    const agentId = this.#book.sessions.get(sessionId)?.agentId;
    return this.children.start(sessionId, { id: sessionId, parentId: this.runId, agentId }).runId;
  }

  #reader(runId: string, create: () => PartReader): PartReader {
    const reader = this.#readers.get(runId) ?? create();
    this.#readers.set(runId, reader);
    return reader;
  }
}
