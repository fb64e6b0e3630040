import type { UserMessage } from '../../../agents/contract/host.ts';
import { defined } from '../../../base/defined.ts';
import { newId } from '../../../events/ids.ts';
import { SingletreeError } from '../../../base/singletree-error.ts';
import type { EventLog } from '../../../log/event-log.ts';
import { unknownAgentProblem } from '../../conversations/conversation-reader.ts';
import type { EventHub } from '../event-hub.ts';
import { hasEndedOwner } from '../../supervision/open-runs.ts';
import type { Relays } from '../permissions/relays.ts';
import type { StateTasks } from '../settings/state-tasks.ts';
import type { OpenThread } from '../threads/open-thread.ts';
import type { Threads } from '../threads/threads.ts';
import type { RequestContext } from '../tools/request-context.ts';
import type { Runs } from '../turns/runs.ts';
import type { UserInput } from './messages.ts';
import type { LiveTurn } from './live-turn.ts';
import { harnessDestroyed } from './harness-errors.ts';
import type { WaitingMessage } from '../../../projections/message-queue.ts';
import type { Queued } from './state.ts';

/** The messages that wait in a thread. */
export interface WaitingInThread {
  readonly messages: readonly WaitingMessage[];
  /** Whether a person is editing the queue, which blocks its delivery. */
  readonly isHeld: boolean;
}

/** The parts of a harness that turns use. */
interface TurnParts {
  readonly log: EventLog;
  readonly hub: EventHub;
  readonly threads: Threads;
  readonly runs: Runs;
  readonly tasks: StateTasks;
  readonly relays: Relays;
  /** Resolves when calls may take effect. */
  init(): Promise<void>;
  /** Adds values to the request context of the active run. */
  addContext(more: RequestContext | undefined): void;
  /** The id of the agent of the current mode. */
  agentId(): string;
  /** The ids of the agents of all modes. */
  knownAgents(): ReadonlySet<string>;
  /** The number of follow-ups that wait in the open thread. */
  readonly followUpCount: number;
  /** Switches to the default mode. */
  readonly modeChanges: { enterDefault(): Promise<void> };
}

/** Starts, resumes, stops and settles turns on the open thread. */
export class TurnEffects {
  readonly #parts: TurnParts;

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

  init(): Promise<void> {
    return this.#parts.init();
  }

  /** Starts or resumes the runs of a turn; does nothing when its messages are to be stored instead. */
  async startTurn(turn: LiveTurn, input: UserInput, isCancelled: () => boolean) {
    const { threads, tasks, runs } = this.#parts;
    if (isCancelled()) return 'cancelled';
    if (threads.current === undefined) await threads.openNew();
    await tasks.written;
    if (isCancelled()) return 'cancelled';
    // It may have been deleted in the meantime.
    if (threads.current === undefined) await threads.openNew();
    const thread = threads.current as unknown as OpenThread;
    turn.thread = thread;
    try {
      return await runs.start(thread, turn, input);
    } catch (error) {
      // Another process answers it, or runs the thread: then its run gets the message.
      if (SingletreeError.is(error, 'once_conflict')) return 'handed_over';
      if (SingletreeError.is(error, 'lease_held')) {
        const { id = newId(), content, requestContext } = input;
        await this.#enqueue(thread.id, { id, content }, turn.kind, requestContext !== undefined);
        return 'handed_over';
      }
      threads.lost(thread.id, error);
      throw error;
    }
  }

  /** Aborts the runs of a turn. */
  stopTurn({ handles }: LiveTurn): void {
    const { runs } = this.#parts;
    for (const { runId } of handles) void runs.stop(runId).catch(error => this.onError(error));
  }

  /** Stores the messages that the thread of a turn does not contain, and emits all its events. */
  async settleTurn(turn: LiveTurn, store: readonly UserInput[], endsPlanning: boolean): Promise<void> {
    const { runs, relays } = this.#parts;
    const { thread, handles } = turn;
    if (thread === undefined) return void (await this.store(store, true));
    const isStored = await runs.storeMissing(thread.id, store);
    const isEmitted = !isStored && handles.length > 0;
    await thread.sync(...(isEmitted ? [Math.max(...handles.map(({ seq }) => seq))] : []));
    thread.unfollowIfIdle();
    relays.clear();
    if (endsPlanning) await this.#parts.modeChanges.enterDefault();
  }

  /** Stores messages in the thread that is open at the call, or in a new one if `creates`; returns false without one. */
  async store(inputs: readonly UserInput[], creates: boolean): Promise<boolean> {
    const { log, threads, runs } = this.#parts;
    const { current: thread, resourceId } = threads;
    if (thread === undefined && !creates) return false;
    await runs.storeUnread(thread?.id ?? (await log.createThread({ resourceId })).id, inputs);
    if (thread !== undefined && thread === threads.current) await thread.sync();
    return true;
  }

  /** Stores a message as waiting in the thread that is open at the call: for its run, or for the turn after it. */
  async enqueue(message: UserMessage, kind: Queued['kind'], hasContext: boolean): Promise<void> {
    const thread = this.#parts.threads.current;
    if (thread === undefined) throw harnessDestroyed();
    await this.#enqueue(thread.id, message, kind, hasContext);
  }

  #enqueue(threadId: string, { id, content }: UserMessage, kind: Queued['kind'], hasContext: boolean): Promise<void> {
    const delivery = kind === 'message' ? 'steer' : 'follow_up';
    return this.#parts.runs.conversations.store(threadId, {
      id,
      content,
      agent: this.#parts.agentId(),
      delivery,
      ...(hasContext && { hasContext }),
    });
  }

  /**
   * Returns the waiting messages of the turn's thread, or of the open one, that an agent of this harness can answer,
   * in the order of delivery; undefined when that thread is not open any more. `syncs` reads the newest events first.
   */
  async waiting(turn: LiveTurn | undefined, syncs: boolean): Promise<WaitingInThread | undefined> {
    const { threads, runs } = this.#parts;
    const { thread } = turn ?? { thread: threads.current };
    if (syncs) await thread?.sync();
    if (thread === undefined || thread !== threads.current) return undefined;
    const known = thread.queue.length === 0 ? undefined : this.#parts.knownAgents();
    const messages = thread.queue.filter(({ agent }) => agent === undefined || known?.has(agent));
    return { messages, isHeld: messages.length > 0 && (await runs.conversations.isHeld(thread.id)) };
  }

  /** Whether the owner of an open run of the open thread was a process of this machine that has ended. */
  async hasEndedOwner(): Promise<boolean> {
    const { threads, runs } = this.#parts;
    return threads.current !== undefined && (await runs.openRuns(threads.current)).some(hasEndedOwner);
  }

  /** Resumes the orphaned runs of the open thread within a turn; none when another process owns them. */
  async resumeOrphans(turn: LiveTurn): Promise<void> {
    const { threads, runs } = this.#parts;
    const thread = threads.current;
    if (thread === undefined) return;
    const openRuns = await runs.openRuns(thread);
    if (openRuns.length === 0 || threads.current !== thread) return;
    turn.thread = thread;
    try {
      await runs.resume(thread, turn, { openRuns });
    } catch (error) {
      if (!SingletreeError.is(error, 'lease_held')) throw error;
    }
  }

  /** Releases the lock of a closed thread. */
  async release(): Promise<void> {
    const { threads } = this.#parts;
    if (threads.current === undefined) await threads.closeAndRelease();
  }

  /** Closes the open thread at once. */
  closeThread(): void {
    this.#parts.threads.closeCurrent();
  }

  /** Adds the request context of a message that is injected into a turn. */
  onInjected(turn: LiveTurn, { requestContext }: UserInput): void {
    if (turn.handles.length > 0) this.#parts.addContext(requestContext);
    else if (requestContext !== undefined) turn.extraContexts.push(requestContext);
  }

  /** Emits how many follow-ups wait, and why one of them is not sent by this harness. */
  onQueued(): void {
    const { hub, threads, followUpCount: count } = this.#parts;
    const { id = '', queue = [] } = threads.current ?? {};
    const known = queue.length === 0 ? undefined : this.#parts.knownAgents();
    const unknown = queue.find(({ agent }) => agent !== undefined && known?.has(agent) === false)?.agent;
    const problem = unknown === undefined ? undefined : unknownAgentProblem(id, unknown);
    hub.emit({ type: 'follow_up_queued', count, ...defined({ problem }) });
  }

  /** Follows the thread, whose open runs belong to another process. */
  onWatch(): void {
    this.#parts.threads.current?.follow();
  }

  /** Emits the error of a message that no caller awaits. */
  onError(error: unknown): void {
    this.#parts.hub.emitError(error);
  }
}
