import { defined } from '../../base/defined.ts';
import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { Fold } from '../../projections/fold.ts';
import { type RelayBook, relayBook } from '../../projections/relay-book.ts';
import type { PlanStatus as ShownStatus } from '../../protocols/request/fact.ts';

type PlanStatus = EventOf<'plan_status'>['to'];

/** The status of a plan, with the draft that a person was asked about last. */
export interface Plan {
  readonly planId: string;
  readonly status: PlanStatus;
  /** The displayed status: `pending_approval` while a person is asked. */
  readonly shown: ShownStatus;
  readonly title?: string;
  readonly plan?: string;
}

interface PlanState extends Omit<Plan, 'shown'> {
  /** The run that moved it last. */
  readonly runId: string;
}

export interface PlansState {
  /** The plans of a thread by id, in the order in which they were drafted. */
  readonly plans: ReadonlyMap<string, PlanState>;
  readonly relays: RelayBook;
}

const next: Record<PlanStatus, readonly PlanStatus[]> = {
  draft: ['approved'],
  approved: ['executing'],
  executing: ['executed', 'failed'],
  executed: [],
  failed: [],
};

/** Whether a plan may move so; a new plan is a draft. */
function isLegal(from: PlanStatus | undefined, to: PlanStatus): boolean {
  return from === undefined ? to === 'draft' : next[from].includes(to);
}

/** Throws `plan_conflict` when a plan may not move so. */
export function checkPlanMove(planId: string, from: PlanStatus | undefined, to: PlanStatus): void {
  if (isLegal(from, to)) return;
  throw new SingletreeError(
    'plan_conflict',
    `The plan "${planId}" cannot become ${to}: it is ${from ?? 'unknown'}. Make a new plan instead.`,
    { details: { planId, from, to } },
  );
}

/**
 * The plans of a thread as a fold of its events. Moves that are not legal count for nothing. A plan whose run ended
 * while it was carried out has failed: how far it came is unknown.
 */
export const plansFold: Fold<PlansState, readonly Plan[]> = {
  get initial() {
    return { plans: new Map(), relays: relayBook.initial };
  },
  step: ({ plans, relays }, event) => {
    const changed = changes(plans, event);
    return {
      plans: changed.length === 0 ? plans : new Map([...plans, ...changed.map(plan => [plan.planId, plan] as const)]),
      relays: relayBook.step(relays, event),
    };
  },
  view: ({ plans, relays }) => {
    const asked = new Set(relays.pending.map(({ relay }) => (relay.relayKind === 'plan' ? relay.planId : undefined)));
    return Array.from(plans.values(), ({ planId, status, title, plan }) => ({
      planId,
      status,
      shown: asked.has(planId) ? 'pending_approval' : status,
      ...defined({ title, plan }),
    }));
  },
};

function changes(plans: PlansState['plans'], event: AgentEvent): PlanState[] {
  const { runId } = event;
  switch (event.type) {
    case 'plan_status': {
      const { planId, to } = event;
      const plan = plans.get(planId);
      return isLegal(plan?.status, to) ? [{ ...plan, planId, status: to, runId }] : [];
    }
    case 'relay': {
      if (event.relayKind !== 'plan') return [];
      const { planId, title, plan } = event;
      const { status = 'draft' } = plans.get(planId) ?? {};
      return [{ planId, status, runId, plan, ...defined({ title }) }];
    }
    case 'harness_end':
      return Array.from(plans.values())
        .filter(plan => plan.runId === runId && plan.status === 'executing')
        .map(plan => ({ ...plan, status: 'failed' }));
    default:
      return [];
  }
}
