import { defined } from '../../../src/base/defined.ts';
import type { EventOf } from '../../../src/events/vocabulary.ts';
import type { Conversation } from '../../../src/graph/conversation/conversation.ts';
import { defaultActive } from '../../../src/graph/conversation/active.ts';
import { getMessage, getRun } from '../../../src/graph/conversation/queries.ts';
import { projectThread } from '../../../src/projections/reading/project-thread.ts';
import type { TimelineStep } from '../../../src/projections/timeline/timeline-step.ts';
import type { TotalsView } from '../../../src/projections/totals.ts';

/** The folder of a thread, as its log records it. */
interface SummaryFolder {
  readonly path: string;
  /** The event that records it. */
  readonly seq: number;
  /** Whether it has a worktree, also when its changes were kept. */
  readonly hasWorktree: boolean;
  readonly branch?: string;
  readonly note?: string;
}

/** The outcome of a thread: its state, its cost in time and tokens, and its changes. */
export interface ThreadSummary {
  readonly request: string;
  readonly agentId: string;
  readonly model?: string;
  readonly status: string;
  readonly answer: string;
  /** The folder it works in, when its log records one. */
  readonly folder?: SummaryFolder;
  readonly steps: number;
  readonly toolCalls: number;
  readonly failures: number;
  readonly modelCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost?: number;
  /** From the first event to the last, and how it was spent, in milliseconds. */
  readonly wallMs: number;
  readonly modelMs: number;
  readonly toolMs: number;
  readonly waitMs: number;
  readonly firstTextMs?: number;
  /** The files that calls wrote, with how often. */
  readonly files: readonly { readonly path: string; readonly writes: number }[];
  /** The first steps, in order. */
  readonly done: readonly Pick<TimelineStep, 'seq' | 'kind' | 'label' | 'detail' | 'status'>[];
}

const mostDone = 200;
const mostAnswer = 4000;

/** Adds up a thread for a comparison. */
export function buildSummary(
  conversation: Conversation,
  steps: readonly TimelineStep[],
  { totals: { all }, folder }: { readonly totals: TotalsView; readonly folder: EventOf<'folder_changed'> | undefined },
): ThreadSummary {
  const active = defaultActive(conversation);
  const nodes = projectThread(conversation, active);
  const request = nodes.find(({ role }) => role === 'user');
  const last = nodes.findLast(({ role }) => role === 'assistant');
  const run = last && getRun(conversation, getMessage(conversation, last.id)?.runId ?? last.id);
  const files = new Map<string, number>();
  let [start, end] = [Infinity, 0];
  for (const step of steps) {
    start = Math.min(start, step.start);
    end = Math.max(end, step.end ?? step.start);
    if (step.operation === 'write' && step.status === 'done') files.set(step.detail, (files.get(step.detail) ?? 0) + 1);
  }
  const work = steps.filter(({ kind }) => kind === 'tool' || kind === 'note');
  return {
    request: request?.text ?? '',
    agentId: last?.agentId ?? '',
    ...(last?.model !== undefined && { model: last.model }),
    status: run?.status ?? 'not started',
    ...(folder && { folder: toFolder(folder) }),
    answer: (last?.text ?? '').slice(0, mostAnswer),
    steps: steps.length,
    toolCalls: all.toolCalls,
    failures: work.filter(({ status }) => status === 'failed').length,
    modelCalls: all.modelCalls,
    inputTokens: all.inputTokens,
    outputTokens: all.outputTokens,
    ...(all.cost !== undefined && { cost: all.cost }),
    wallMs: Math.max(0, end - Math.min(start, end)),
    modelMs: all.modelMs,
    toolMs: all.toolMs,
    waitMs: all.approvalMs,
    ...(all.firstTextMs !== undefined && { firstTextMs: all.firstTextMs }),
    files: [...files].map(([path, writes]) => ({ path, writes })),
    done: work.slice(0, mostDone).map(({ seq, kind, label, detail, status }) => ({ seq, kind, label, detail, status })),
  };
}

function toFolder({ folder, worktree, kept, note, seq = 0 }: EventOf<'folder_changed'>): SummaryFolder {
  const hasWorktree = worktree !== undefined || kept !== undefined;
  return { path: folder, seq, hasWorktree, ...defined({ branch: worktree?.branch, note }) };
}
