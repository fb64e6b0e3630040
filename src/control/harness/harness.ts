import { newId } from '../../events/ids.ts';
import { checkArguments } from './arguments/check-arguments.ts';
import { HarnessBase } from './harness-base.ts';
import type { HarnessMessage } from './harness-message.ts';
import { isBusy } from './machine/state.ts';
import type { HarnessSession, HarnessThread } from './threads/harness-thread.ts';
import { type HarnessFile, userContent } from './messages/message-content.ts';
import { firstUserMessage, messagesOfThread, threadMessages } from './messages/thread-messages.ts';
import { systemReminderText, withMetadata } from '../conversations/system-reminder.ts';
import { type RegisteredPlan, type RegisteredQuestion, type ToolApproval } from './permissions/relays.ts';
import type { PlanResponse, HarnessQuestionAnswer, RequestContext } from './tools/request-context.ts';
import { type AcceptedSignal, readSignal, type Signal } from './turns/signal.ts';
import { deriveTraceId } from '../../events/trace-context.ts';
import { type Traced, createTrace } from './turns/tracing.ts';
import type { CloneOptions, ListThreadsOptions } from './threads/threads.ts';

/** A message of a person. */
export interface SendMessage extends Traced {
  readonly content: string;
  readonly files?: readonly HarnessFile[];
}

/** A reminder to the model that is stored in a thread. */
export interface SavedReminder {
  readonly message: string;
  readonly reminderType: string;
  /** The role of the message; `user` by default. */
  readonly role?: HarnessMessage['role'];
  /** Values with the name of a reminder field are stored there; all others in its `metadata`. */
  readonly metadata?: Record<string, unknown>;
}

/**
 * Drives agents on behalf of a person: modes, models, threads, messages, approvals, questions, plans. It is a façade:
 * the modules in this folder do the work, the supervisor invokes the agents, and the log stores the events.
 */
export class Harness<State extends object = Record<string, unknown>> extends HarnessBase<State> {
  /** Validates the initial state and starts the heartbeats. Every other method implies it. */
  init(): Promise<void> {
    return this.engine.init();
  }

  selectOrCreateThread(): Promise<HarnessThread> {
    return this.engine.withThreads(threads => threads.select());
  }

  /**
   * Releases everything. An active run is detached: the next harness on the storage resumes it; its thread shows the
   * reason, when there is one. Waits at most 5 seconds for active heartbeats, and emits an `error` for each that has not
   * ended.
   */
  destroy(reason?: string): Promise<void> {
    return this.engine.destroy(reason);
  }

  getCurrentThreadId(): string | null {
    return this.engine.thread?.id ?? null;
  }

  async createThread(options: { title?: string } = {}): Promise<HarnessThread> {
    checkArguments('createThread', options);
    return this.engine.withThreads(threads => threads.create(options));
  }

  async switchThread(chosen: { threadId: string }): Promise<void> {
    checkArguments('switchThread', chosen);
    await this.engine.withThreads(threads => threads.switch(chosen.threadId));
  }

  async listThreads(options: ListThreadsOptions = {}): Promise<HarnessThread[]> {
    checkArguments('listThreads', options);
    return this.engine.threads.list(this.engine.resourceId, options);
  }

  async renameThread(change: { title: string }): Promise<void> {
    checkArguments('renameThread', change);
    await this.engine.withThreads(threads => threads.rename(change.title));
  }

  async cloneThread(options: CloneOptions = {}): Promise<HarnessThread> {
    checkArguments('cloneThread', options);
    return this.engine.withThreads(threads => threads.clone(options));
  }

  /** The thread operations, including `deleteThread`. */
  get memory() {
    return {
      createThread: (options?: { title?: string }) => this.createThread(options),
      switchThread: (options: { threadId: string }) => this.switchThread(options),
      listThreads: (options?: ListThreadsOptions) => this.listThreads(options),
      renameThread: (options: { title: string }) => this.renameThread(options),
      deleteThread: async (chosen: { threadId: string }) => {
        checkArguments('deleteThread', chosen);
        await this.engine.withThreads(threads => threads.delete(chosen.threadId));
      },
    };
  }

  getResourceId(): string {
    return this.engine.resourceId;
  }

  getDefaultResourceId(): string {
    return this.engine.config.resourceId ?? this.id;
  }

  setResourceId(chosen: { resourceId: string }): void {
    checkArguments('setResourceId', chosen);
    this.engine.chooseResource(chosen.resourceId);
  }

  getKnownResourceIds(): Promise<string[]> {
    return this.engine.threads.resourceIds();
  }

  async getSession(): Promise<HarnessSession> {
    const threads = await this.listThreads();
    return { currentThreadId: this.getCurrentThreadId(), currentModeId: this.getCurrentModeId(), threads };
  }

  /** Stores a value with the open thread; `null` removes it. */
  async setThreadSetting(setting: { key: string; value: unknown }): Promise<void> {
    checkArguments('setThreadSetting', setting);
    await this.engine.withThreads(() => this.engine.records.updateMetadata({ [setting.key]: setting.value }));
  }

  /**
   * Resolves when the agent has answered. A message during a run is injected into that run, resolves when it is
   * accepted, and belongs to the trace of that run.
   */
  async sendMessage(message: SendMessage): Promise<void> {
    checkArguments('sendMessage', message);
    const { content, files, requestContext } = message;
    await this.engine.send({ content: userContent(content, files), requestContext, trace: createTrace(message) }).done;
  }

  /** Sends a message; `accepted` resolves when the run that receives it has started. */
  sendSignal(signal: Signal): AcceptedSignal {
    checkArguments('sendSignal', signal);
    const { id = newId(), type, content } = readSignal(signal);
    const input = { id, content, requestContext: signal.requestContext, trace: createTrace(signal) };
    const { runId, done } = this.engine.send(input);
    const accepted = runId().then(started => ({ accepted: true as const, runId: started }));
    // Callers that ignore `accepted` must not cause an unhandled rejection.
    for (const ignored of [accepted, done]) ignored.catch(() => {});
    return { id, type, accepted };
  }

  async listMessages({ limit }: { limit?: number } = {}): Promise<HarnessMessage[]> {
    const { thread } = this.engine;
    if (thread === undefined) return [];
    await thread.sync();
    return threadMessages(thread.projection.conversation, { limit });
  }

  async listMessagesForThread(of: { threadId: string; limit?: number }): Promise<HarnessMessage[]> {
    checkArguments('listMessagesForThread', of);
    const { threadId, limit } = of;
    if (threadId === this.getCurrentThreadId()) return this.listMessages(limit === undefined ? {} : { limit });
    return messagesOfThread(this.engine.log, threadId, limit);
  }

  async getFirstUserMessageForThread(of: { threadId: string }): Promise<HarnessMessage | null> {
    checkArguments('getFirstUserMessageForThread', of);
    return firstUserMessage(this.engine.log, of.threadId);
  }

  async getFirstUserMessagesForThreads(of: { threadIds: readonly string[] }) {
    checkArguments('getFirstUserMessagesForThreads', of);
    const messages = new Map<string, HarnessMessage>();
    for (const threadId of of.threadIds) {
      const message = await this.getFirstUserMessageForThread({ threadId });
      if (message !== null) messages.set(threadId, message);
    }
    return messages;
  }

  /** Stores a reminder to the model in the open thread; returns null when no thread is open. */
  async saveSystemReminderMessage(saved: SavedReminder): Promise<HarnessMessage | null> {
    checkArguments('saveSystemReminderMessage', saved);
    const { role, metadata, ...reminder } = saved;
    return this.engine.remind(systemReminderText(withMetadata(reminder, metadata), role));
  }

  /** Aborts the runs of the open thread, in any process; partial output is kept. */
  abort(): void {
    this.engine.abort();
  }

  /** Injects an instruction into the active run at its next safe point; sends it when nothing runs. */
  async steer(message: Pick<SendMessage, 'content' | 'requestContext'>): Promise<void> {
    checkArguments('steer', message);
    const { content, requestContext } = message;
    await this.engine.send({ content, requestContext }).done;
  }

  /** Sends after the active run, in the order of the calls; at once when nothing runs. */
  async followUp(message: Pick<SendMessage, 'content' | 'files' | 'requestContext'>): Promise<void> {
    checkArguments('followUp', message);
    const { content, files, requestContext } = message;
    await this.engine.send({ content: userContent(content, files), requestContext }, 'follow_up').done;
  }

  /**
   * Sends the follow-ups that wait in the open thread when no turn is active, unless a person edits them; one that is
   * named is sent now, into the active turn or as a new one. Throws `not_found` when it does not wait.
   */
  async sendFollowUps(options: { id?: string } = {}): Promise<void> {
    checkArguments('sendFollowUps', options);
    await this.engine.sendWaiting(options.id);
  }

  getFollowUpCount(): number {
    return this.engine.followUpCount;
  }

  isRunning(): boolean {
    return isBusy(this.engine.machine.state) || this.engine.hub.view.isRunning;
  }

  isCurrentThreadStreamActive(): boolean {
    return this.engine.hub.view.isRunning;
  }

  getCurrentRunId(): string | null {
    return this.engine.machine.live?.runId ?? null;
  }

  /** The trace id of the active run: the sender's, else one derived from the run id. */
  getCurrentTraceId(): string | null {
    const runId = this.getCurrentRunId();
    return runId === null ? null : (this.engine.machine.live?.trace?.traceId ?? deriveTraceId(runId));
  }

  /** Throws `relay_not_found` when nothing is pending, `relay_resolved` when it was already answered. */
  respondToToolApproval(approval: ToolApproval): void {
    checkArguments('respondToToolApproval', approval);
    this.engine.relays.approve(approval);
    this.engine.addContext(approval.requestContext);
  }

  respondToQuestion(given: { questionId: string; answer: HarnessQuestionAnswer }): void {
    checkArguments('respondToQuestion', given);
    this.engine.relays.answerQuestion(given.questionId, given.answer);
  }

  /** An approved plan ends its run and switches to the default mode. */
  async respondToPlanApproval(given: { planId: string; response: PlanResponse }): Promise<void> {
    checkArguments('respondToPlanApproval', given);
    await this.engine.relays.decidePlan(given.planId, given.response);
  }

  /**
   * Resolves when the turn has ended, or is suspended again; at once when another process runs it. `toolCallId` selects
   * one of several suspensions; the oldest by default. A limit of spending takes `{ approved: boolean }`.
   */
  async respondToToolSuspension(data: {
    resumeData: unknown;
    toolCallId?: string;
    requestContext?: RequestContext;
  }): Promise<void> {
    checkArguments('respondToToolSuspension', data);
    this.engine.addContext(data.requestContext);
    await this.engine.relays.resume(data.toolCallId, data.resumeData);
    await this.engine.machine.respond();
  }

  registerQuestion(question: RegisteredQuestion): void {
    checkArguments('registerQuestion', question);
    this.engine.relays.registerQuestion(question);
  }

  registerPlanApproval(plan: RegisteredPlan): void {
    checkArguments('registerPlanApproval', plan);
    this.engine.relays.registerPlan(plan);
  }
}
