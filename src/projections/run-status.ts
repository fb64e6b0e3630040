import { defined } from '../base/defined.ts';
import type { AgentEvent } from '../events/vocabulary.ts';
import { advance, emptySnapshot } from '../graph/versioned/advance.ts';
import type { Draft, Snapshot } from '../graph/versioned/store.ts';
import type { RunStatus } from '../graph/conversation/record.ts';
import type { Fold } from './fold.ts';
import { type RelayBook, relayBook } from './relay-book.ts';

/** The status of a run. */
export interface RunStanding {
  readonly runId: string;
  readonly agentId?: string;
  readonly model?: string;
  readonly parentId?: string;
  /** `waiting` while a person is asked something. */
  readonly status: RunStatus | 'waiting';
  /** The step it is in. */
  readonly step?: number;
  /** Calls that have no result yet. */
  readonly openCalls: number;
  /** Relays that have no answer yet. */
  readonly openRelays: number;
  readonly startedAt?: string;
  readonly endedAt?: string;
}

interface Tables {
  run: Omit<RunStanding, 'status' | 'openRelays'> & { readonly ended?: RunStatus };
  order: string;
  /** A call to whether it is open, and the run it is of. */
  open: { readonly runId: string; readonly isOpen: boolean };
}

export interface RunStatusState {
  readonly runs: Snapshot<Tables>;
  readonly relays: RelayBook;
}

/** Folds the status of every run, in the order in which they began. */
export const runStatus: Fold<RunStatusState, readonly RunStanding[]> = {
  get initial() {
    return { runs: emptySnapshot<Tables>(), relays: relayBook.initial };
  },
  step: (state, event) => {
    const runs = advance(state.runs, event, draft => take(draft, event));
    const relays = relayBook.step(state.relays, event);
    return runs === state.runs && relays === state.relays ? state : { runs, relays };
  },
  view: ({ runs, relays }) => {
    const open = new Map<string, number>();
    for (const { runId } of relays.pending) open.set(runId, (open.get(runId) ?? 0) + 1);
    return runs.all('order', '').map(runId => standing(runs.last('run', runId) as Tables['run'], open.get(runId) ?? 0));
  },
};

function standing({ ended, ...run }: Tables['run'], openRelays: number): RunStanding {
  return { ...run, openRelays, status: ended ?? (openRelays > 0 ? 'waiting' : 'running') };
}

function take(draft: Draft<Tables>, event: AgentEvent): void {
  const { runId, ts } = event;
  if (event.type === 'harness_start') {
    const { agentId, model, parentId, recorded } = event;
    change(draft, runId, {
      agentId,
      ...defined({ model, parentId, ended: recorded === true ? ('interrupted' as const) : undefined }),
      ...(ts !== undefined && { startedAt: ts }),
    });
  } else if (event.type === 'step_start')
    change(draft, runId, { step: event.step, ...(event.model !== undefined && { model: event.model }) });
  else if (event.type === 'tool_call') openCall(draft, event.id, runId);
  else if (event.type === 'tool_result') closeCall(draft, event.id);
  else if (event.type === 'relay') change(draft, runId, {});
  else if (event.type === 'harness_end')
    change(draft, runId, { ended: event.reason ?? 'complete', ...(ts !== undefined && { endedAt: ts }) });
}

function openCall(draft: Draft<Tables>, callId: string, runId: string): void {
  if (draft.last('open', callId)?.isOpen) return;
  draft.add('open', callId, { runId, isOpen: true });
  change(draft, runId, { openCalls: (draft.last('run', runId)?.openCalls ?? 0) + 1 });
}

function closeCall(draft: Draft<Tables>, callId: string): void {
  const known = draft.last('open', callId);
  if (!known?.isOpen) return;
  draft.add('open', callId, { ...known, isOpen: false });
  change(draft, known.runId, { openCalls: (draft.last('run', known.runId)?.openCalls ?? 1) - 1 });
}

function change(draft: Draft<Tables>, runId: string, change: Partial<Tables['run']>): void {
  const known = draft.last('run', runId);
  if (known === undefined) draft.add('order', '', runId);
  draft.add('run', runId, { ...(known ?? { runId, openCalls: 0 }), ...change });
}
