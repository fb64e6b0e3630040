import type { EventHub } from '../event-hub.ts';
import type { Granted } from './permissions.ts';
import type { PermissionState } from './permission-state.ts';
import { relayEvent } from '../projection/relay-queues.ts';
import type { Relays, ToolApproval } from './relays.ts';
import type { PlanResponse } from '../tools/request-context.ts';

export interface ResponsesOptions {
  readonly relays: Relays;
  readonly permissions: PermissionState;
  readonly hub: EventHub;
  /** Goes to the default mode once the decision got through; rejects when it does not. */
  readonly finishPlanning: (decided: Promise<void>) => Promise<void>;
}

/** What a person decides about calls and plans. */
export class Responses {
  readonly #options: ResponsesOptions;

  constructor(options: ResponsesOptions) {
    this.#options = options;
  }

  /** Decides about a call that waits; a category that is always allowed lets the others of it go too. */
  approve(approval: ToolApproval): void {
    const { relays, permissions } = this.#options;
    const { decision, toolCallId, feedback } = approval;
    const relay = relays.find('approval', toolCallId);
    const words = feedback === undefined ? {} : { feedback };
    if (approval.decision === 'revise')
      return relays.answer(relay, { outcome: 'revise', input: approval.input, ...words });
    relays.answer(relay, { outcome: decision === 'decline' ? 'reject' : 'approve', ...words });
    if (decision !== 'always_allow_category' || relay.relayKind !== 'permission') return;
    const category = permissions.categoryOf(relay.tool);
    if (category !== null) this.grant({ category });
  }

  /** Grants for the session, and lets go what waits and is allowed by it. */
  grant(granted: Granted): void {
    this.#options.permissions.grant(granted);
    this.permissionsChanged();
  }

  /** Lets go what waits and is allowed now; whoever allows a call and approves it in one go approves it first. */
  permissionsChanged(): void {
    queueMicrotask(() => this.#approveAllowed());
  }

  /** Whether a person is to be asked about a call that waits: one that is allowed by now is let go, one may have its answer. */
  needsApproval(toolCallId: string): boolean {
    this.#approveAllowed();
    return this.#options.relays.waiting('approval').some(relay => relay.toolCallId === toolCallId);
  }

  /** Asks again about what waits and is not shown: its answer was on its way and did not get through. */
  askAgain(): void {
    const { relays, hub } = this.#options;
    const [first] = relays.waiting('approval');
    if (first !== undefined && hub.display.pendingApproval === null) hub.emit(relayEvent(first));
  }

  #approveAllowed(): void {
    const { relays } = this.#options;
    for (const relay of relays.waiting('approval'))
      if (relay.relayKind === 'permission' && this.#isAllowed(relay.tool)) relays.answer(relay, { outcome: 'approve' });
  }

  /** A resolver of categories that fails allows nothing. */
  #isAllowed(toolName: string): boolean {
    try {
      return this.#options.permissions.allows(toolName);
    } catch {
      return false;
    }
  }

  /** Decides on a plan that waits; resolves when the decision is stored, and the mode is the one it leads to. */
  async decidePlan(planId: string, response: PlanResponse): Promise<void> {
    const { relays, hub, finishPlanning } = this.#options;
    const { action, feedback } = response;
    const isApproved = action === 'approved';
    if (relays.decideRegistered(planId, response)) {
      if (isApproved) hub.emit({ type: 'plan_approved' });
      return isApproved ? finishPlanning(Promise.resolve()) : undefined;
    }
    const decided = relays.settle(relays.find('plan', planId), {
      outcome: isApproved ? 'approve' : 'reject',
      ...(feedback !== undefined && { feedback }),
    });
    await (isApproved ? finishPlanning(decided) : decided);
  }
}
