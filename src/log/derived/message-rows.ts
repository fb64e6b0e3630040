import { replacesAttempt, type StepAttempt } from '../../events/attempt.ts';
import { textOfContent } from '../../events/content-text.ts';
import { addUsage, noUsage, type UsageCounts } from '../../events/usage-sum.ts';
import type { EventOf, LoggedEvent } from '../../events/vocabulary.ts';
import { MessageTree, type MessageTreeState } from '../../graph/conversation/message-tree.ts';

/** A message as a row of a table: what changed of it, the place always. */
export interface MessageRow {
  readonly id: string;
  readonly parentMessageId?: string | undefined;
  /** The chunk that started the run, for a subagent; such a message has no parent. */
  readonly spawnedBy?: string | undefined;
  /** The message of a person that its run answers. */
  readonly answers?: string | undefined;
  readonly role: 'user' | 'assistant' | 'system';
  readonly runId: string;
  readonly agentId?: string | undefined;
  readonly model?: string | undefined;
  readonly firstSeq: number;
  readonly created: string;
  /** Present when it is complete. */
  readonly completion?: MessageCompletion;
}

export interface MessageCompletion {
  readonly lastSeq: number;
  readonly completed: string;
  readonly author?: string | undefined;
  readonly text: string;
  readonly reason?: string;
  readonly model?: string | undefined;
  readonly usage?: UsageCounts;
}

/** A run that ended: its message is complete with what its events from `firstSeq` up to `end` say. */
export interface EndedRun {
  readonly messageId: string;
  readonly runId: string;
  readonly firstSeq: number;
  readonly end: LoggedEvent & EventOf<'harness_end'>;
}

/** From so many events on a state of the tree is stored; from more when it has grown. */
const leastEvents = 512;

/** Derives the rows of the messages of a thread from its events, in the order and with the parents of its conversation. */
export class MessageDerivation {
  readonly #tree: MessageTree;
  readonly #changed = new Set<string>();
  readonly #said = new Map<string, MessageCompletion>();
  readonly #ended = new Map<string, EndedRun>();
  #storedSeq: number;

  constructor(state?: MessageTreeState) {
    this.#tree = new MessageTree(state);
    this.#storedSeq = this.#tree.seq;
  }

  /** The seq of the newest applied event. */
  get seq(): number {
    return this.#tree.seq;
  }

  /** How much it holds. */
  get size(): number {
    return this.#tree.size;
  }

  /** Applies the next event; an event that was already applied changes nothing. */
  take(event: LoggedEvent): void {
    if (event.seq <= this.seq) return;
    for (const id of this.#tree.take(event)) {
      this.#changed.add(id);
      if (event.type === 'user') this.#said.set(id, saidIn(event));
    }
    if (event.type !== 'harness_end') return;
    const { messageId } = this.#tree.run(event.runId) ?? {};
    const start = messageId === undefined ? undefined : this.#tree.start(messageId);
    if (messageId === undefined || this.#tree.message(messageId)?.runId !== event.runId) return;
    this.#changed.add(messageId);
    this.#ended.set(messageId, { messageId, runId: event.runId, firstSeq: start?.seq ?? 0, end: event });
  }

  /** Returns what changed since it was asked last: the rows, and the runs whose messages are to be completed. */
  drain(): { readonly rows: MessageRow[]; readonly ended: EndedRun[] } {
    const rows = [...this.#changed].map(id => this.#row(id));
    const ended = [...this.#ended.values()];
    this.#changed.clear();
    this.#said.clear();
    this.#ended.clear();
    return { rows, ended };
  }

  /**
   * Returns a state to continue from when it is time to store one: storing it costs as much as the tree is large, so
   * that it is stored less often the larger the tree is.
   */
  stateToStore(): MessageTreeState | undefined {
    if (this.seq - this.#storedSeq < Math.max(leastEvents, this.size / 8)) return undefined;
    this.#storedSeq = this.seq;
    return this.#tree.state();
  }

  #row(id: string): MessageRow {
    const message = this.#tree.message(id);
    const start = this.#tree.start(id);
    if (message === undefined || start === undefined) throw new Error(`The message "${id}" is not in the tree.`);
    const { role, runId, parentMessageId, spawnedBy } = message;
    const run = role === 'assistant' ? this.#tree.run(runId) : undefined;
    const isAnswer = run?.parentId !== undefined && this.#tree.message(run.parentId)?.role === 'user';
    const completion = this.#said.get(id);
    return {
      id,
      parentMessageId,
      spawnedBy,
      answers: isAnswer ? run.parentId : undefined,
      role,
      runId,
      agentId: run?.agentId,
      model: run?.model,
      firstSeq: start.seq,
      created: start.ts,
      ...(completion !== undefined && { completion }),
    };
  }
}

function saidIn({ content, by, seq, ts }: LoggedEvent & EventOf<'user'>): MessageCompletion {
  return { lastSeq: seq, completed: ts, author: by, text: textOfContent(content) };
}

/** Completes the message of a run from its events: its texts without those of replaced attempts, and what it used. */
export function completeMessage({ runId, end }: EndedRun, events: Iterable<LoggedEvent>): MessageCompletion {
  const texts: string[] = [];
  let attempt: { readonly texts: Map<string, string> } & { -readonly [Key in keyof StepAttempt]: StepAttempt[Key] } = {
    texts: new Map(),
    isComplete: false,
  };
  let usage: UsageCounts | undefined;
  let model: string | undefined;
  for (const event of events) {
    if (event.runId !== runId) continue;
    if (event.type === 'step_start') {
      if (!replacesAttempt(attempt, event.step)) texts.push(...attempt.texts.values());
      attempt = { texts: new Map(), step: event.step, isComplete: false };
    } else if (event.type === 'usage') {
      usage = addUsage(usage ?? noUsage, event);
      model = event.model ?? model;
      attempt.isComplete = true;
    } else if (event.type === 'text' && event.fromResult !== true) {
      attempt.texts.set(event.id, (attempt.texts.get(event.id) ?? '') + event.content);
    }
  }
  texts.push(...attempt.texts.values());
  return {
    lastSeq: end.seq,
    completed: end.ts,
    text: texts.filter(text => text !== '').join('\n\n'),
    reason: end.reason ?? 'complete',
    model,
    ...(usage !== undefined && { usage }),
  };
}
