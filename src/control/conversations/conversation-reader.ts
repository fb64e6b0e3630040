import { defined } from '../../base/defined.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { allThreads } from '../../log/all-threads.ts';
import type { EventLog, Thread } from '../../log/event-log.ts';
import { hasOpen, openKinds } from '../../log/open-things.ts';
import { ResultFold, type RunResult } from '../../agents/contract/run-result.ts';
import { isOwnEvent } from '../../log/own-events.ts';
import type { WaitingMessage } from '../../projections/message-queue.ts';
import { presentGrant } from '../../projections/presentation/present-relay.ts';
import { isGranting } from '../../projections/relay-book.ts';
import { RunFamily } from '../../projections/run-state.ts';
import { sharedThreadMemory, type ThreadMemory } from '../threads/thread-memory.ts';
import { findInterruptedRun, type OpenRun, listOpenRuns } from '../supervision/open-runs.ts';
import { RelayBooks } from './relay-books.ts';
import { ThreadDigests } from '../threads/thread-folds.ts';
import { notWaiting } from './queue-changes.ts';
import { ReportedCommands } from './reported-commands.ts';
import type { OfferedAgents } from './sent-message.ts';

/**
 * The state of a conversation: its run was interrupted and must be resumed; it waits for a person; it runs; messages
 * wait but no run is active; or none of these.
 */
export type ConversationState = 'interrupted' | 'waiting' | 'running' | 'queued' | 'idle';

/** The status of a conversation, for all interfaces. */
export interface ConversationStatus {
  readonly state: ConversationState;
  /** The open runs, oldest first. */
  readonly runs: readonly OpenRun[];
  /** The ids of the relays that wait for a person, oldest first. */
  readonly relays: readonly string[];
  /** Why nothing happens although a run or a message is open, and how to continue. */
  readonly problem?: string;
}

/** A message that waits until the run has ended. */
export interface QueuedMessage extends WaitingMessage {
  /** Why it is not delivered here when no run is active, and how to deliver it. */
  readonly problem?: string;
}

/** A permission that a person granted for longer than one call. */
export interface GivenGrant {
  readonly threadId: string;
  /** The title of the thread. */
  readonly title?: string;
  /** The relay whose answer granted it. */
  readonly relayId: string;
  readonly remember: string;
  /** Describes the calls that it allows, for display. */
  readonly covers: string;
  readonly at?: string;
  readonly by?: string;
}

const mostGrants = 1000;

/** Reads the state of conversations across all processes: active runs, pending relays and waiting messages. */
export class ConversationReader {
  /** The questions and approval requests of all threads. */
  readonly inbox: RelayBooks;
  /** The last run of each thread, and its usage. */
  readonly digests: ThreadDigests;
  /** The slash commands that external programs reported. */
  readonly commands: ReportedCommands;
  protected readonly memory: ThreadMemory;
  protected readonly log: EventLog;
  readonly #agents: OfferedAgents | undefined;

  /** Without `agents` no message can be delivered here. */
  constructor(log: EventLog, agents?: OfferedAgents) {
    this.log = log;
    this.#agents = agents;
    this.memory = sharedThreadMemory(log);
    this.digests = new ThreadDigests(log);
    this.inbox = new RelayBooks(log, this.digests);
    this.commands = new ReportedCommands(log, this.digests);
  }

  /** Returns a thread, optionally only of a resource; throws `thread_not_found`. */
  async find(threadId: string, resourceId?: string): Promise<Thread> {
    const thread = await this.log.getThread(threadId);
    if (thread !== undefined && (resourceId === undefined || thread.resourceId === resourceId)) return thread;
    throw new SingletreeError('thread_not_found', `There is no thread "${threadId}".`, { details: { threadId } });
  }

  /** Returns the status of a conversation. */
  async status(thread: Thread): Promise<ConversationStatus> {
    const runs = listOpenRuns(thread);
    const relays = hasOpen(thread, 'relay') ? (await this.inbox.of(thread)).pending.map(({ id }) => id) : [];
    const [run] = runs;
    const interrupted = await findInterruptedRun(this.log, thread);
    if (interrupted !== undefined) {
      const problem = `The run was interrupted. To resume it: ${resumeCommand(interrupted.agentId, thread.id)}`;
      return { state: 'interrupted', runs, relays, problem };
    }
    if (relays.length > 0) return { state: 'waiting', runs, relays };
    if (run !== undefined) return { state: 'running', runs, relays };
    if (!hasOpen(thread, 'message')) return { state: 'idle', runs, relays };
    const { queue } = await this.memory.of(thread.id);
    const problem = queue.map(message => this.#problem(thread.id, message)).find(each => each !== undefined);
    return { state: 'queued', runs, relays, ...(problem !== undefined && { problem }) };
  }

  /** Throws `run_under_way` when a run of a thread is open; `what` names the operation in the message. */
  async checkIdle(thread: Thread, what: string): Promise<void> {
    const { runs, problem = 'Stop it or wait until it ends.' } = await this.status(thread);
    if (runs.length === 0) return;
    throw new SingletreeError('run_under_way', `The thread has an open run: ${what} ${problem}`, {
      details: { threadId: thread.id, runId: runs[0]?.runId },
    });
  }

  /** Lists the permissions that people granted for longer than one call, from the most recent threads. */
  async listGrants(resourceId?: string): Promise<readonly GivenGrant[]> {
    const { decisions } = await this.inbox.settled(resourceId, { limit: mostGrants, after: undefined });
    return decisions.flatMap(({ thread, entry }): GivenGrant[] => {
      const { relay, answer, id: relayId } = entry;
      if (answer === undefined || !isGranting(entry)) return [];
      const { remember = 'thread', ts: at, by } = answer;
      const covers = presentGrant(relay, answer);
      return [{ threadId: thread.id, relayId, remember, covers, ...defined({ title: thread.title, at, by }) }];
    });
  }

  /** The threads in which something is open, each once. */
  async active(resourceId?: string): Promise<readonly Thread[]> {
    const found = new Map<string, Thread>();
    for (const open of openKinds)
      for await (const thread of allThreads(this.log, { resourceId, open })) found.set(thread.id, thread);
    return [...found.values()];
  }

  /**
   * The messages that begin a turn, in the order of their delivery: those that wait until the run has ended and, when
   * nothing runs, those that it did not read.
   */
  async queue(thread: Thread): Promise<readonly QueuedMessage[]> {
    if (!hasOpen(thread, 'message')) return [];
    const { queue } = await this.memory.of(thread.id);
    const { state, problem: interruption } = await this.status(thread);
    if (isActive(state)) return queue.filter(({ delivery }) => delivery === 'follow_up');
    return queue.map(message => {
      const problem = state === 'interrupted' ? interruption : this.#problem(thread.id, message);
      return problem === undefined ? message : { ...message, problem };
    });
  }

  /** The messages that go into the run of a thread at its next safe point, in the order of their delivery. */
  async steering(thread: Thread): Promise<readonly WaitingMessage[]> {
    if (!hasOpen(thread, 'message') || !isActive((await this.status(thread)).state)) return [];
    return (await this.memory.of(thread.id)).queue.filter(({ delivery }) => delivery === 'steer');
  }

  /** Resolves with the run that a waiting message began or went into; rejects when it is withdrawn or its thread deleted. */
  async findRun(threadId: string, messageId: string, until?: AbortSignal): Promise<string> {
    const types = ['user', 'harness_start', 'message_withdrawn'] as const;
    const runs = new Set<string>();
    let cause: string | undefined;
    try {
      for await (const event of this.log.tail(threadId, 0, { types, ...defined({ signal: until }) })) {
        if (event.type === 'harness_start') runs.add(event.runId);
        if (event.type === 'harness_start' && cause !== undefined && event.parentId === cause) return event.runId;
        if (event.type === 'message_withdrawn' && event.id === messageId) throw notWaiting(messageId);
        if (event.type !== 'user' || event.id !== messageId) continue;
        if (runs.has(event.runId)) return event.runId;
        cause = `${event.runId}:user`;
      }
    } catch (error) {
      if (!SingletreeError.is(error, 'thread_not_found')) throw error;
    }
    throw new SingletreeError('thread_not_found', `The thread "${threadId}" was deleted before the message was sent.`);
  }

  /** Resolves with the result of a run when it has ended, in any process; rejects when its thread is deleted. */
  async result(threadId: string, runId: string, until?: AbortSignal): Promise<RunResult> {
    const run = new RunFamily(runId);
    for await (const event of this.log.tail(threadId, 0, defined({ signal: until }))) {
      run.take(event);
      if (event.type === 'harness_end' && event.runId === runId) return new ResultFold(runId, run.state()).result();
    }
    until?.throwIfAborted();
    throw new SingletreeError('thread_not_found', `The thread "${threadId}" was deleted before the run ended.`);
  }

  /**
   * Returns the agent of the newest turn of a thread, else the agent that the thread was created for, else undefined.
   * Imported turns are skipped: they must not choose which program runs.
   */
  async findAgent(thread: Thread): Promise<string | undefined> {
    const [open] = listOpenRuns(thread);
    if (open !== undefined) return open.agentId;
    const { agentId: newest, runSeq = 0 } = await this.digests.of(thread);
    if (newest !== undefined && isOwnEvent(thread, runSeq)) return newest;
    const { agentId } = thread.metadata;
    return typeof agentId === 'string' ? agentId : undefined;
  }

  /** Why a message does not begin a turn here; undefined when its agent is offered. */
  #problem(threadId: string, { agent }: WaitingMessage): string | undefined {
    const agents = this.#agents;
    if (agents !== undefined && (agent === undefined || agents.get(agent, threadId) !== undefined)) return undefined;
    if (agents !== undefined) return unknownAgentProblem(threadId, agent ?? '');
    return `No process delivers this message now. To deliver it: ${resumeCommand(agent ?? 'AGENT', threadId)}`;
  }
}

/** Returns why a message waits in a process that does not offer its agent, and how to deliver it. */
export function unknownAgentProblem(threadId: string, agentId: string): string {
  return `The agent "${agentId}" is not offered here. To deliver its message: ${resumeCommand(agentId, threadId)}`;
}

/** Returns the command that resumes the interrupted run of a thread or delivers its waiting messages. */
export function resumeCommand(agentId: string, threadId: string): string {
  return `singletree run ${agentId} --resume ${threadId}`;
}

/** Whether a run can read messages now. */
function isActive(state: ConversationStatus['state']): boolean {
  return state === 'running' || state === 'waiting';
}
