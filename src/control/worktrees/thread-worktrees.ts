import { SingletreeError } from '../../base/singletree-error.ts';
import type { EventLog } from '../../log/event-log.ts';
import type { Conversations } from '../conversations/conversations.ts';
import { sharedThreadMemory } from '../threads/thread-memory.ts';
import type { WorktreeRecord } from './worktree-record.ts';
import type { Worktrees, WorktreeState } from './worktrees.ts';

export interface ThreadWorktreesOptions {
  readonly log: EventLog;
  readonly conversations: Conversations;
  readonly worktrees: Worktrees;
}

/** The worktrees of threads; records each operation in the thread. */
export class ThreadWorktrees {
  readonly #log: EventLog;
  readonly #conversations: Conversations;
  readonly #worktrees: Worktrees;

  constructor({ log, conversations, worktrees }: ThreadWorktreesOptions) {
    this.#log = log;
    this.#conversations = conversations;
    this.#worktrees = worktrees;
  }

  /** Returns the worktree of a thread and its changes; throws `not_found` when it has none. */
  async state(threadId: string): Promise<WorktreeState> {
    return this.#worktrees.state(await this.#find(threadId));
  }

  /** Returns the hunks of a file that was changed in the worktree of a thread. */
  async readPatch(threadId: string, path: string): Promise<string> {
    return this.#worktrees.readPatch(await this.#find(threadId), path);
  }

  /**
   * Applies the changes of a thread to the folder that its worktree is a copy of, all or none; the thread works there
   * from then on. Returns the changed files. Throws `apply_conflict` when they do not fit, and `run_under_way`.
   */
  async keep(threadId: string): Promise<readonly string[]> {
    const record = await this.#find(threadId);
    await this.#checkIdle(threadId);
    const kept = await this.#worktrees.keep(record);
    await this.#conversations.move(threadId, { folder: record.origin, kept: [...kept] });
    return kept;
  }

  /** Removes the worktree of a thread, which works in the original folder from then on. Throws `worktree_changed`. */
  async remove(threadId: string, options: { readonly force?: boolean } = {}): Promise<void> {
    const record = await this.#find(threadId);
    await this.#checkIdle(threadId);
    await this.#worktrees.remove(record, options);
    const thread = await this.#log.getThread(threadId);
    const { folder } = await sharedThreadMemory(this.#log).of(threadId);
    if (thread === undefined) return;
    const next = folder === undefined || folder.folder === record.folder ? record.origin : folder.folder;
    await this.#conversations.move(threadId, { folder: next, note: `The worktree ${record.path} was removed` });
  }

  async #find(threadId: string): Promise<WorktreeRecord> {
    const found = await this.#worktrees.find(threadId);
    if (found !== undefined) return found;
    throw new SingletreeError('not_found', `The thread "${threadId}" has no worktree.`, { details: { threadId } });
  }

  async #checkIdle(threadId: string): Promise<void> {
    const thread = await this.#log.getThread(threadId);
    if (thread !== undefined) await this.#conversations.checkIdle(thread, 'its agent works in this worktree.');
  }
}
