import type { RelayInfo } from '../../../src/protocols/http-api.ts';
import type { WorktreeInfo } from '../../../src/protocols/http-folders.ts';
import type { FileGroup } from '../changes/file-groups.ts';
import type { ThreadSummary } from '../history/thread-summary.ts';

/** One column of a comparison: a thread, with its outcome as far as it is known. */
export interface Compared {
  readonly threadId: string;
  readonly summary?: ThreadSummary | undefined;
  /** Why it cannot be read. */
  readonly problem?: string | undefined;
  /** Its worktree; absent when it works in the same folder as others. */
  readonly worktree?: WorktreeInfo | undefined;
  /** The changes that its calls recorded; set when it has no worktree. */
  readonly changes?: readonly FileGroup[] | undefined;
  /** The pending relays of its agent. */
  readonly waiting?: readonly RelayInfo[] | undefined;
}

/** The name of a column. */
export function getName({ summary }: Compared): string {
  return summary?.agentId || 'Conversation';
}

/** Whether its agent still works. */
export function isWorking({ summary }: Compared): boolean {
  return summary?.status === 'running' || summary?.status === 'not started';
}
