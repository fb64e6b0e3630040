import { defined } from '../../../base/defined.ts';
import type { EventOf } from '../../../events/vocabulary.ts';
import type { EventHub } from '../event-hub.ts';
import type { Granted } from './permissions.ts';
import type { PermissionState } from './permission-state.ts';
import { relayEvent } from '../projection/relay-slots.ts';
import type { Relays, ToolApproval } from './relays.ts';
import type { PlanResponse } from '../tools/request-context.ts';

export interface ResponsesOptions {
  readonly relays: Relays;
  readonly permissions: PermissionState;
  readonly hub: EventHub;
  /** Switches to the default mode when the decision is stored; rejects when it is not. */
  readonly finishPlanning: (decided: Promise<void>) => Promise<void>;
}

/** Applies a person's decisions about calls and plans. */
export class Responses {
  readonly #options: ResponsesOptions;

  constructor(options: ResponsesOptions) {
    this.#options = options;
  }

  /** Decides about a pending call; a category that is always allowed approves the other pending calls of it, too. */
  approve(approval: ToolApproval): void {
    const { relays, permissions } = this.#options;
    const { decision, toolCallId, feedback } = approval;
    const relay = relays.find('approval', toolCallId);
    const words = feedback === undefined ? {} : { feedback };
    if (approval.decision === 'revise')
      return relays.answer(relay, { outcome: 'revise', input: approval.input, ...words });
    const remember = approval.decision === 'approve' ? defined({ remember: approval.remember }) : {};
    relays.answer(relay, { outcome: decision === 'decline' ? 'reject' : 'approve', ...words, ...remember });
    if (decision !== 'always_allow_category' || relay.relayKind !== 'permission') return;
    const category = permissions.categoryOfCall(relay);
    if (category !== null) this.grant({ category });
  }

  /** Grants for the session, and approves pending calls that the grant allows. */
  grant(granted: Granted): void {
    this.#options.permissions.grant(granted);
    this.permissionsChanged();
  }

  /**
   * Approves pending calls that are allowed now; deferred, so that an explicit approval of the same call comes first.
   */
  permissionsChanged(): void {
    queueMicrotask(() => this.#approveAllowed());
  }

  /** Whether a pending call needs an answer; approves the ones that are allowed by now. */
  needsApproval(toolCallId: string): boolean {
    this.#approveAllowed();
    return this.#options.relays.waiting('approval').some(relay => relay.toolCallId === toolCallId);
  }

  /** Emits a pending approval that is not displayed because its answer could not be stored. */
  askAgain(): void {
    const { relays, hub } = this.#options;
    const [first] = relays.waiting('approval');
    if (first !== undefined && hub.view.pendingApproval === null) hub.emit(relayEvent(first));
  }

  #approveAllowed(): void {
    const { relays } = this.#options;
    for (const relay of relays.waiting('approval'))
      if (relay.relayKind === 'permission' && this.#isAllowed(relay)) relays.answer(relay, { outcome: 'approve' });
  }

  /** A category resolver that throws allows nothing. */
  #isAllowed(relay: EventOf<'relay'> & { relayKind: 'permission' }): boolean {
    if (relay.personOnly === true) return false;
    try {
      return this.#options.permissions.allows(relay);
    } catch {
      return false;
    }
  }

  /** Decides on a pending plan; resolves when the decision is stored and the mode is switched. */
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
      ...defined({ feedback }),
    });
    await (isApproved ? finishPlanning(decided) : decided);
  }
}
