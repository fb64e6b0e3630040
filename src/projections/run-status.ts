import type { AgentEvent } from '../events/index.ts';
import { advance, type Draft, emptyMoment, type Moment } from '../graph/versioned/index.ts';
import type { RunStatus } from '../graph/index.ts';
import type { Fold } from './fold.ts';

/** Where a run stands. */
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
  run: Omit<RunStanding, 'status'> & { readonly ended?: RunStatus };
  order: string;
  /** A call or a relay to whether it is open, and the run it is of. */
  open: { readonly runId: string; readonly isOpen: boolean };
}

export type RunStatusState = Moment<Tables>;

/** Where every run stands, in the order in which they began, as a fold. */
export const runStatus: Fold<RunStatusState, readonly RunStanding[]> = {
  get initial() {
    return emptyMoment<Tables>();
  },
  step: (state, event) => advance(state, event, draft => take(draft, event)),
  view: state => state.all('order', '').map(runId => standing(state.last('run', runId) as Tables['run'])),
};

function standing({ ended, ...run }: Tables['run']): RunStanding {
  return { ...run, status: ended ?? (run.openRelays > 0 ? 'waiting' : 'running') };
}

function take(draft: Draft<Tables>, event: AgentEvent): void {
  const { runId, ts } = event;
  if (event.type === 'harness_start') {
    const { agentId, model, parentId } = event;
    change(draft, runId, {
      agentId,
      ...(model !== undefined && { model }),
      ...(parentId !== undefined && { parentId }),
      ...(ts !== undefined && { startedAt: ts }),
    });
  } else if (event.type === 'step_start')
    change(draft, runId, { step: event.step, ...(event.model !== undefined && { model: event.model }) });
  else if (event.type === 'tool_call') open(draft, `call ${event.id}`, runId, 'openCalls');
  else if (event.type === 'tool_result') close(draft, `call ${event.id}`, 'openCalls');
  else if (event.type === 'relay') open(draft, `relay ${event.id}`, runId, 'openRelays');
  else if (event.type === 'relay_resolved') close(draft, `relay ${event.relayId}`, 'openRelays');
  else if (event.type === 'harness_end')
    change(draft, runId, { ended: event.reason ?? 'complete', ...(ts !== undefined && { endedAt: ts }) });
}

function open(draft: Draft<Tables>, key: string, runId: string, counter: 'openCalls' | 'openRelays'): void {
  if (draft.last('open', key)?.isOpen) return;
  draft.add('open', key, { runId, isOpen: true });
  change(draft, runId, { [counter]: (draft.last('run', runId)?.[counter] ?? 0) + 1 });
}

function close(draft: Draft<Tables>, key: string, counter: 'openCalls' | 'openRelays'): void {
  const known = draft.last('open', key);
  if (!known?.isOpen) return;
  draft.add('open', key, { ...known, isOpen: false });
  change(draft, known.runId, { [counter]: (draft.last('run', known.runId)?.[counter] ?? 1) - 1 });
}

function change(draft: Draft<Tables>, runId: string, change: Partial<Tables['run']>): void {
  const known = draft.last('run', runId);
  if (known === undefined) draft.add('order', '', runId);
  draft.add('run', runId, { ...(known ?? { runId, openCalls: 0, openRelays: 0 }), ...change });
}
