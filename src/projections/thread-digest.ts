import { addUsage, noUsage, type UsageCounts } from '../events/usage-sum.ts';
import { defined } from '../base/defined.ts';
import type { AgentEvent } from '../events/vocabulary.ts';
import type { RunStatus } from '../graph/conversation/record.ts';
import type { Fold } from './fold.ts';

/** The summary of a thread for lists: its last run and the usage of its model calls. */
export interface ThreadDigest {
  readonly agentId?: string;
  /** The event that began its last run. */
  readonly runSeq?: number;
  /** The outcome of the last run; absent while it runs and before the first run. */
  readonly outcome?: RunStatus;
  /** The directory of its newest run, or the one that it was moved to since. */
  readonly folder?: string;
  /** The event that states the folder. */
  readonly folderSeq?: number;
  /** The folder that `folder` is a worktree of. */
  readonly origin?: string;
  /** Whether an agent ran code in a REPL. */
  readonly hasCode?: true;
  readonly usage: UsageCounts;
}

interface DigestState extends ThreadDigest {
  /** The last run that answers a person. */
  readonly runId?: string;
}

/** The digest of a thread, as a fold in constant time and space. */
export const threadDigest: Fold<DigestState, ThreadDigest> = {
  get initial() {
    return { usage: noUsage };
  },
  step: (state, event) => {
    if (event.type === 'repl_input') return { ...state, hasCode: true };
    if (event.type === 'usage') return { ...state, usage: addUsage(state.usage, event) };
    if (event.type === 'harness_start' && answersPerson(event)) {
      const { runId, agentId, cwd, seq } = event;
      const { folder, folderSeq } = cwd === undefined ? state : { folder: cwd, folderSeq: seq };
      const { usage, hasCode } = state;
      const origin = folder === state.folder ? state.origin : undefined;
      return { usage, runId, agentId, ...defined({ runSeq: seq, folder, folderSeq, origin, hasCode }) };
    }
    if (event.type === 'folder_changed') {
      const { origin: _, ...others } = state;
      const { folder, seq: folderSeq, worktree } = event;
      return { ...others, folder, ...defined({ folderSeq, origin: worktree?.origin }) };
    }
    if (event.type === 'harness_end' && event.runId === state.runId)
      return { ...state, outcome: event.reason ?? 'complete' };
    return state;
  },
  view: ({ agentId, runSeq, outcome, folder, folderSeq, origin, hasCode, usage }) => ({
    ...defined({ agentId, runSeq, outcome, folder, folderSeq, origin, hasCode }),
    usage,
  }),
};

/** Whether a run answers a message: subagents and observers belong to another run. */
function answersPerson({ parentId, memory }: Extract<AgentEvent, { type: 'harness_start' }>): boolean {
  return memory === undefined && (parentId === undefined || parentId.endsWith(':user'));
}
