import { pendingRelayEvents } from '../projection/relay-slots.ts';
import { defined } from '../../../base/defined.ts';
import { SingletreeError } from '../../../base/singletree-error.ts';
import type { EventLog, NewThread, Thread } from '../../../log/event-log.ts';
import { allThreads } from '../../../log/all-threads.ts';
import type { Conversations } from '../../conversations/conversations.ts';
import type { DisplayView } from '../display/display-view.ts';
import type { EventHub } from '../event-hub.ts';
import { type HarnessThread, copiedMetadata } from './harness-thread.ts';
import type { ThreadMemory } from '../../threads/thread-memory.ts';
import { deleteForks } from '../subagents/fork-thread.ts';
import { OpenThread, type OpenThreadOptions } from './open-thread.ts';
import type { HeldLock } from './thread-lock.ts';
import { emptyTokenUsage, type TokenUsage } from '../token-usage.ts';

export interface ListThreadsOptions {
  readonly allResources?: boolean;
  readonly includeForkedSubagents?: boolean;
}

export interface CloneOptions {
  readonly sourceThreadId?: string;
  readonly title?: string;
  readonly resourceId?: string;
}

export interface ThreadsOptions {
  readonly log: EventLog;
  readonly conversations: Conversations;
  readonly memory: ThreadMemory;
  readonly hub: EventHub;
  readonly lock: HeldLock;
  readonly newThreadId: () => string;
  readonly resourceId: string;
  /** The metadata of a new thread. */
  readonly newMetadata: () => Record<string, unknown>;
  /** Aborts the runs of the open thread, which is being closed. */
  readonly leave: () => Promise<void>;
  /**
   * Called when a thread was opened, before its pending relays are emitted. `isFirst` for a new thread while none was
   * open.
   */
  readonly onOpen: (thread: Thread, isFirst: boolean) => void;
  /** Called when no thread is open. */
  readonly onClosed: () => void;
  /** Called when the open thread was deleted by another process. */
  readonly onDeleted: (error: unknown) => void;
  /** Receives the pending relays of an opened thread, and its later events. */
  readonly onEvent: OpenThreadOptions['onEvent'];
}

type Opened = Awaited<ReturnType<typeof OpenThread.open>>;

/** The threads of a harness and the open one. Its methods must not run concurrently. */
export class Threads {
  readonly #options: ThreadsOptions;
  #current: OpenThread | undefined;
  /** The resource in effect for the running call. */
  resourceId: string;

  constructor(options: ThreadsOptions) {
    this.#options = options;
    this.resourceId = options.resourceId;
  }

  get current(): OpenThread | undefined {
    return this.#current;
  }

  /** Leaves the open thread, and opens a new one. */
  async create(options: { title?: string } = {}): Promise<HarnessThread> {
    await this.#options.leave();
    return this.openNew(options);
  }

  /** Opens a new thread while none is open. */
  async openNew({ title }: { title?: string } = {}): Promise<HarnessThread> {
    const { log, newThreadId, newMetadata } = this.#options;
    const thread: NewThread = { id: newThreadId(), resourceId: this.resourceId, metadata: newMetadata() };
    return this.#add(thread.id as string, () => log.createThread({ ...thread, ...defined({ title }) }));
  }

  /** Opens the newest thread of the resource, or a new one. */
  async select(): Promise<HarnessThread> {
    for await (const thread of allThreads(this.#options.log, { resourceId: this.resourceId })) {
      if (thread.metadata['forkedSubagent'] === true) continue;
      if (thread.id !== this.#current?.id) await this.#change(thread);
      return harnessThread(thread);
    }
    return this.create();
  }

  async switch(threadId: string): Promise<void> {
    await this.#change(await this.get(threadId));
  }

  async list(
    resourceId: string,
    { allResources = false, includeForkedSubagents = false }: ListThreadsOptions = {},
  ): Promise<HarnessThread[]> {
    const threads: HarnessThread[] = [];
    for await (const thread of allThreads(this.#options.log, allResources ? {} : { resourceId }))
      if (includeForkedSubagents || thread.metadata['forkedSubagent'] !== true) threads.push(harnessThread(thread));
    return threads;
  }

  async resourceIds(): Promise<string[]> {
    const ids = new Set<string>();
    for await (const { resourceId } of allThreads(this.#options.log)) ids.add(resourceId);
    return [...ids].toSorted();
  }

  /** Opens a copy of a thread in constant time: it shares all messages and has no usage. */
  async clone({ sourceThreadId = this.#current?.id, title, resourceId }: CloneOptions = {}): Promise<HarnessThread> {
    const { log, newThreadId } = this.#options;
    if (sourceThreadId === undefined)
      throw new SingletreeError(
        'thread_not_found',
        'No thread is open. Pass a sourceThreadId, or open a thread first.',
      );
    await this.get(sourceThreadId);
    await this.#options.leave();
    await this.#current?.sync();
    const source = await this.get(sourceThreadId);
    const id = newThreadId();
    const named = title ?? source.title;
    return this.#add(id, () =>
      log.branch(source.id, source.seq, {
        id,
        resourceId: resourceId ?? source.resourceId,
        metadata: copiedMetadata(source.metadata),
        ...defined({ title: named }),
      }),
    );
  }

  /** Renames the open thread. */
  async rename(title: string): Promise<void> {
    if (this.#current === undefined)
      throw new SingletreeError('thread_not_found', 'No thread is open. Open a thread before you rename it.');
    await this.#options.conversations.label(this.#current.id, { title });
  }

  /** Deletes a thread and its forks; it stays open when it cannot be deleted. */
  async delete(threadId: string): Promise<void> {
    const { log, hub } = this.#options;
    const thread = await this.get(threadId);
    const open = this.#current?.id === threadId ? this.#current : undefined;
    if (open !== undefined) await this.#options.leave();
    open?.unfollow();
    try {
      await deleteForks(log, thread);
      await log.deleteThread(threadId);
    } catch (error) {
      if (open?.hasOpenRuns === true) open.follow();
      throw error;
    }
    if (open !== undefined) await this.closeAndRelease();
    hub.emit({ type: 'thread_deleted', threadId });
  }

  /** Aborts runs, closes the open thread, and switches to another resource. */
  async changeResource(resourceId: string): Promise<void> {
    try {
      await this.#options.leave();
    } finally {
      await this.closeAndRelease();
      this.resourceId = resourceId;
    }
  }

  /** Closes the open thread and releases its lock. */
  async closeAndRelease(): Promise<void> {
    this.closeCurrent();
    await this.#options.lock.release();
  }

  /** Closes the open thread at once; its lock is held until `closeAndRelease`. */
  closeCurrent(): void {
    if (this.#current === undefined) return;
    this.#endDisplay();
    this.#current = undefined;
    this.#options.hub.emit({ type: 'thread_cleared' });
    this.#options.onClosed();
  }

  /** Closes the open thread of a destroyed harness and releases its lock; emits nothing, and the display stays. */
  async close(): Promise<void> {
    this.#current?.close();
    this.#current = undefined;
    await this.#options.lock.release();
  }

  /** Rejects with `thread_not_found`. */
  async get(threadId: string): Promise<Thread> {
    const thread = await this.#options.log.getThread(threadId);
    if (thread !== undefined) return thread;
    throw new SingletreeError('thread_not_found', `Thread not found: ${threadId}.`, { details: { threadId } });
  }

  async #change(thread: Thread): Promise<void> {
    await this.#options.leave();
    const previousThreadId = this.#current?.id ?? null;
    const opened = await this.#options.lock.change(thread.id, () => this.#read(thread));
    this.#enter(thread, opened, { type: 'thread_changed', threadId: thread.id, previousThreadId });
  }

  async #add(threadId: string, make: () => Promise<Thread>): Promise<HarnessThread> {
    const { thread, opened } = await this.#options.lock.change(threadId, async () => {
      const made = await make();
      return { thread: made, opened: this.#copy(made) ?? (await this.#read(made)) };
    });
    const shown = harnessThread(thread);
    this.#enter(thread, opened, { type: 'thread_created', thread: shown });
    return shown;
  }

  /** Copies the idle open thread when the given thread branches off at its end. */
  #copy({ id, branchedFrom }: Thread): Opened | undefined {
    const source = this.#current;
    const { view: display } = this.#options.hub;
    if (source === undefined || source.hasOpenRuns) return undefined;
    if (source.id !== branchedFrom?.threadId || source.seq !== branchedFrom.seq) return undefined;
    return { thread: source.copy(id), display: { ...display, tokenUsage: emptyTokenUsage() } };
  }

  /** A copy made during a run ends that run in the copy: it continues in the source. */
  async #read(thread: Thread): Promise<Opened> {
    const { log, memory, hub, onEvent } = this.#options;
    const open = () =>
      OpenThread.open(thread, {
        log,
        memory,
        names: hub.names,
        onEvent,
        onRead: seq => hub.emit({ type: 'thread_reading', threadId: thread.id, seq, lastSeq: thread.seq }),
        onLost: (threadId, error) => {
          hub.emitError(error);
          this.lost(threadId, error);
        },
      });
    const opened = await open();
    const cut = thread.seq === thread.branchedFrom?.seq ? opened.thread.openRuns() : [];
    if (cut.length === 0) return opened;
    await log.append(
      thread.id,
      cut.map(run => ({ type: 'harness_end', ...run, reason: 'interrupted' })),
    );
    return open();
  }

  /** Reports that another process deleted the open thread, if the error shows that. */
  lost(threadId: string, error: unknown): void {
    const isDeleted = SingletreeError.is(error, 'thread_not_found') && this.#current?.id === threadId;
    if (isDeleted) this.#options.onDeleted(error);
  }

  #enter(thread: Thread, { thread: opened, display }: Opened, event: Parameters<EventHub['emit']>[0]): void {
    const { hub, onOpen, onEvent } = this.#options;
    const isNew = event.type === 'thread_created' && thread.branchedFrom === undefined;
    const isFirst = isNew && this.#current === undefined;
    this.#endDisplay();
    this.#current = opened;
    hub.emit(event);
    if (display.isRunning) this.#emitOpen(opened, display);
    // A pending approval is displayed when its event is emitted, unless it is allowed by now.
    hub.emit({ type: 'thread_loaded', display: { ...display, pendingApproval: null } });
    onOpen(thread, isFirst);
    for (const waiting of pendingRelayEvents(opened.projection.relays)) onEvent(waiting, undefined);
    if (opened.hasOpenRuns) opened.follow();
  }

  /** Emits the start of everything that is open, so that later events have one. */
  #emitOpen(opened: OpenThread, { activeTools }: DisplayView): void {
    const { hub } = this.#options;
    hub.emit({ type: 'agent_start' });
    for (const message of opened.openMessages()) hub.emit({ type: 'message_start', message });
    for (const [toolCallId, { name: toolName, args, status }] of activeTools)
      if (status === 'running') hub.emit({ type: 'tool_start', toolCallId, toolName, args });
  }

  /** Closes the open thread and ends its run on the display; the run may continue elsewhere. */
  #endDisplay(): void {
    const { hub } = this.#options;
    const open = this.#current?.openMessages() ?? [];
    this.#current?.close();
    if (!hub.view.isRunning) return;
    for (const message of open) hub.emit({ type: 'message_end', message });
    hub.emit({ type: 'agent_end', reason: 'aborted' });
  }
}

/** Converts a stored thread. */
export function harnessThread(thread: Thread): HarnessThread {
  const { id, resourceId, title, createdAt, updatedAt } = thread;
  const { tokenUsage, ...metadata } = thread.metadata;
  return {
    id,
    resourceId,
    ...defined({ title }),
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
    ...(tokenUsage !== undefined && { tokenUsage: tokenUsage as TokenUsage }),
    metadata,
  };
}
