import { defined } from '../../../base/defined.ts';
import type { AgentEvent, EventOf } from '../../../events/vocabulary.ts';
import type { ContentPart } from '../../../events/content.ts';
import { type EventBody, LineContext } from '../shared/line-context.ts';
import type { RecordReader } from '../shared/line-translator.ts';

/** The ids of a session and of its runs. */
export interface SessionIds {
  /** The id that begins those of all runs; the run of this id has the raw lines. */
  readonly id: string;
  readonly sessionId: string;
  readonly agentId: string;
}

type EndReason = NonNullable<EventOf<'harness_end'>['reason']>;

/** The position of a record in the conversation. */
interface RecordPlace {
  /** The message that it is a part of. */
  readonly messageId: string;
  /** The user message that this one answers, if it is an answer. */
  readonly promptId: string | undefined;
  /** The newest node at the record, and before it: what a summary may end with. */
  readonly nodeId: string;
  readonly previousNodeId: string | undefined;
}

interface OpenTurn<Reader> {
  readonly context: LineContext;
  readonly reader: Reader;
  readonly promptId: string | undefined;
  /** Whether the program reported that it is complete; more of the last answer may follow. */
  isDone: boolean;
  ts: string;
}

/**
 * Builds the events of a session, turn by turn: a user message, then a run that answers it. Records have keys and
 * name the record they follow, so that a record after an earlier one begins a branch.
 */
export class SessionTurns<Reader extends RecordReader = RecordReader> {
  readonly #ids: SessionIds;
  readonly #turnReader: (context: LineContext) => Reader;
  readonly #places = new Map<string, RecordPlace>();
  #events: AgentEvent[] = [];
  #line: number | undefined;
  #ts = new Date(0).toISOString();
  #turn: OpenTurn<Reader> | undefined;
  /** The newest place of the conversation, and the place that a record follows by default. */
  #tip: RecordPlace | undefined;
  #cursor: RecordPlace | undefined;
  #first: string | undefined;
  #count = 0;
  /** The folder and the model of runs that begin. */
  cwd: string | undefined;
  model: string | undefined;

  /** `turnReader` makes the reader of one turn: that of the program's live output, where the records are the same. */
  constructor(ids: SessionIds, turnReader: (context: LineContext) => Reader) {
    this.#ids = ids;
    this.#turnReader = turnReader;
  }

  /** Begins a record; `line` is its number among the raw lines. */
  begin(line: number | undefined): void {
    this.#line = line;
    this.#events = [];
  }

  /** Sets the time of the current record, in milliseconds or ISO 8601; an invalid time has no effect. */
  at(time: unknown): void {
    const ms = typeof time === 'string' ? Date.parse(time) : typeof time === 'number' ? time : Number.NaN;
    if (Math.abs(ms) < 8.64e15) this.#ts = new Date(ms).toISOString();
  }

  /** The time of the current record. */
  get ts(): string {
    return this.#ts;
  }

  /** Returns the events of the current record. */
  end(): AgentEvent[] {
    return this.#events;
  }

  /** Adds a user message and ends the previous turn. */
  prompt(
    content: string | ContentPart[],
    { key, after }: { key?: string | undefined; after?: string | null | undefined },
  ): void {
    this.close();
    const parent = this.#parent(after);
    const runId = this.#newId();
    const isBranch = parent?.messageId !== this.#tip?.messageId;
    const parentMessageId = isBranch ? { parentMessageId: parent?.messageId ?? '' } : {};
    this.#add({ type: 'user', runId, content, ...parentMessageId });
    const messageId = `${runId}:user`;
    this.#stand({ messageId, promptId: messageId, nodeId: messageId }, key, parent);
  }

  /** Returns the reader of the turn that a record after another one is a part of, and begins its run if necessary. */
  #reply(parent: RecordPlace | undefined): Reader {
    const turn = this.#turn;
    if (turn !== undefined && (parent === undefined || parent.messageId === turn.context.runId)) return turn.reader;
    this.close();
    return this.#begin(parent).reader;
  }

  /** The run of the open turn. */
  get runId(): string | undefined {
    return this.#turn?.context.runId;
  }

  /** Passes a record to the reader of the turn it is a part of, and takes its events. */
  read(
    act: (reader: Reader, context: LineContext) => void,
    { key, after }: { key?: string | undefined; after?: string | null | undefined } = {},
  ): void {
    const parent = this.#parent(after);
    const reader = this.#reply(parent);
    const { context } = this.#turn as OpenTurn<Reader>;
    context.begin(this.#line);
    act(reader, context);
    const events = context.end();
    for (const event of events) this.#add(event);
    const { runId } = context;
    const node = events.findLast(
      event => event.runId === runId && (event.type === 'text' || event.type === 'tool_call'),
    );
    const nodeId = node !== undefined && 'id' in node ? (node.id as string) : (this.#tip?.nodeId ?? runId);
    (this.#turn as OpenTurn<Reader>).ts = this.#ts;
    this.#stand({ messageId: runId, promptId: this.#turn?.promptId, nodeId }, key, parent);
  }

  /** Adds an event to the open turn that is not on the current line, with the time of the record before. */
  note(body: EventBody): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    turn.context.begin(undefined);
    turn.context.emit(body);
    for (const event of turn.context.end()) this.#add(event);
  }

  /** Registers a record that adds nothing to the conversation and that others may follow. */
  link(key: string | undefined, after?: string | null): void {
    const place = this.#parent(after);
    if (key !== undefined && place !== undefined) this.#places.set(key, place);
  }

  /** Whether the conversation contains a record with this key. */
  has(key: string): boolean {
    return this.#places.has(key);
  }

  /** Makes the next record follow the record with this key; without one, the conversation begins again. */
  rewind(to: string | undefined): void {
    this.close();
    this.#cursor = to === undefined ? undefined : this.#places.get(to);
  }

  /** Adds a summary of the conversation up to the record `upTo`, or up to the one that precedes `before`. */
  summarise(
    text: string,
    {
      upTo,
      before,
      tokens,
    }: { upTo?: string | null | undefined; before?: string | undefined; tokens?: number | undefined },
  ): void {
    this.pause();
    const kept = before === undefined ? undefined : this.#places.get(before);
    const to = kept === undefined ? this.#parent(upTo)?.nodeId : kept.previousNodeId;
    if (to === undefined || this.#first === undefined) return;
    const runId = this.#newId();
    const about = { id: `${runId}/summary`, covers: { from: this.#first, to }, text, kind: 'compaction' as const };
    this.#add({ type: 'summary', runId, ...about, ...defined({ coveredTokens: tokens }) });
  }

  /** Marks the open turn as complete: it ends with the next prompt, or when the source pauses. */
  done(isDone = true): void {
    if (this.#turn !== undefined) this.#turn.isDone = isDone;
  }

  /** Whether the open turn is complete. */
  get isDone(): boolean {
    return this.#turn?.isDone === true;
  }

  /** Ends the open turn if it is complete: nothing more is written for now. */
  pause(): void {
    if (this.isDone) this.close();
  }

  /** Ends the open turn. */
  close(reason?: EndReason): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    this.#turn = undefined;
    const { context, reader, isDone, ts } = turn;
    context.begin(undefined);
    reader.flush();
    context.close();
    const events = context.end();
    const hasFailed = events.some(
      event => event.type === 'error' && event.fatal === true && event.runId === context.runId,
    );
    const { runId } = context;
    const { agentId } = this.#ids;
    const ended = reason ?? (hasFailed ? 'error' : isDone ? 'complete' : 'interrupted');
    // It has the time of its last record, whenever the next one is read.
    for (const event of [...events, { type: 'harness_end' as const, runId, agentId, reason: ended }]) {
      delete event.line;
      this.#add({ ...event, ts });
    }
  }

  #begin(parent: RecordPlace | undefined): OpenTurn<Reader> {
    const { agentId, sessionId } = this.#ids;
    const runId = this.#newId();
    const context = new LineContext(runId);
    const promptId = parent?.promptId;
    // A turn that continues after the newest answer follows it; any other is another answer to the same message.
    const parentId = parent === this.#tip && parent?.messageId !== promptId ? undefined : promptId;
    const turn = { context, reader: this.#turnReader(context), promptId, isDone: false, ts: this.#ts };
    this.#turn = turn;
    this.#add({ type: 'harness_start', runId, agentId, ...defined({ parentId, cwd: this.cwd, model: this.model }) });
    context.begin(undefined);
    context.session(sessionId, { cwd: this.cwd });
    for (const event of context.end()) this.#add(event);
    return turn;
  }

  /** Returns the place that a record follows: the cursor by default or for an unknown key, undefined for null. */
  #parent(after: string | null | undefined): RecordPlace | undefined {
    if (after === null) return undefined;
    return after === undefined ? this.#cursor : (this.#places.get(after) ?? this.#cursor);
  }

  #stand(at: Omit<RecordPlace, 'previousNodeId'>, key: string | undefined, parent: RecordPlace | undefined): void {
    const place = { ...at, previousNodeId: parent?.nodeId };
    this.#first ??= place.messageId;
    this.#tip = place;
    this.#cursor = place;
    if (key !== undefined) this.#places.set(key, place);
  }

  #newId(): string {
    const { id } = this.#ids;
    return this.#count++ === 0 ? id : `${id}/${this.#count - 1}`;
  }

  #add(event: AgentEvent): void {
    event.ts ??= this.#ts;
    if (event.type === 'harness_start') event.recorded = true;
    if (this.#line !== undefined && event.type === 'user') event.line = this.#line;
    this.#events.push(event);
  }
}
