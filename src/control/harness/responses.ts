import type { Announcer } from './announcer.ts';
import { checkDecision, checkPlanResponse } from './check-arguments.ts';
import type { Permits } from './permits.ts';
import type { Relays, ToolApproval } from './relays.ts';
import type { PlanResponse } from './request-context.ts';

export interface ResponsesOptions {
  readonly relays: Relays;
  readonly permits: Permits;
  readonly announcer: Announcer;
  /** Goes to the default mode once the decision got through; rejects when it does not. */
  readonly leavePlanning: (decided: Promise<void>) => Promise<void>;
}

/** What a person decides about calls and plans. */
export class Responses {
  readonly #options: ResponsesOptions;

  constructor(options: ResponsesOptions) {
    this.#options = options;
  }

  /** Decides about a call that waits; a category that is always allowed lets the others of it go too. */
  approve(approval: ToolApproval): void {
    const { relays, permits } = this.#options;
    const { decision, toolCallId, feedback } = approval;
    checkDecision(decision);
    const relay = relays.find('approval', toolCallId);
    const words = feedback === undefined ? {} : { feedback };
    if (approval.decision === 'revise')
      return relays.answer(relay, { outcome: 'revise', input: approval.input, ...words });
    relays.answer(relay, { outcome: decision === 'decline' ? 'reject' : 'approve', ...words });
    if (decision !== 'always_allow_category' || relay.relayKind !== 'permission') return;
    const category = permits.categoryOf(relay.tool);
    if (category !== null) permits.grantCategory(category);
    this.letGo();
  }

  /** Approves what waits and needs no approval any more: it was granted after it was asked. */
  letGo(): void {
    const { relays, permits } = this.#options;
    for (const relay of relays.waiting('approval'))
      if (relay.relayKind === 'permission' && permits.allows(relay.tool)) relays.answer(relay, { outcome: 'approve' });
  }

  /** Decides on a plan that waits; resolves when the decision is stored, and the mode is the one it leads to. */
  async decidePlan(planId: string, response: PlanResponse): Promise<void> {
    const { relays, announcer, leavePlanning } = this.#options;
    checkPlanResponse(response);
    const { action, feedback } = response;
    const isApproved = action === 'approved';
    if (relays.decideRegistered(planId, response)) {
      if (isApproved) announcer.tell({ type: 'plan_approved' });
      return isApproved ? leavePlanning(Promise.resolve()) : undefined;
    }
    const decided = relays.settle(relays.find('plan', planId), {
      outcome: isApproved ? 'approve' : 'reject',
      ...(feedback !== undefined && { feedback }),
    });
    await (isApproved ? leavePlanning(decided) : decided);
  }
}
