import * as z from 'zod';
import { defined } from '../../../base/defined.ts';
import type { RelayAnswer } from '../../../agents/contract/host.ts';
import type { Remember } from '../../../agents/permissions/grants.ts';
import type { EventOf } from '../../../events/vocabulary.ts';
import { SingletreeError } from '../../../base/singletree-error.ts';
import { possibleAnswers } from '../../../projections/possible-answers.ts';
import type { ProjectedEvent } from '../harness-event.ts';
import type { OpenThread } from '../threads/open-thread.ts';
import { type RelaySlot, waitingRelay, waitingRelays, relayEvent } from '../projection/relay-slots.ts';
import type { PlanResponse, HarnessQuestionAnswer, RequestContext } from '../tools/request-context.ts';
import type { EventHub } from '../event-hub.ts';
import type { Granted } from './permissions.ts';
import type { PermissionState } from './permission-state.ts';

type Relay = EventOf<'relay'>;
type Answer = Omit<RelayAnswer, 'relayId'>;

/** A question that a tool asks itself, and the callback for its answer. */
export interface RegisteredQuestion {
  readonly questionId: string;
  readonly resolve: (answer: HarnessQuestionAnswer) => void;
}

/** A plan that a tool submits itself, and the callback for the decision. */
export interface RegisteredPlan {
  readonly planId: string;
  readonly resolve: (response: PlanResponse) => void;
}

/** A decision about a call: `toolCallId` selects one of several; the oldest by default. */
export type ToolApproval = {
  readonly toolCallId?: string;
  readonly feedback?: string;
  readonly requestContext?: RequestContext;
} & (
  | { readonly decision: 'decline' | 'always_allow_category' }
  /** `remember` approves later calls like it, too: the same command or tool in the thread, or the whole category. */
  | { readonly decision: 'approve'; readonly remember?: Remember }
  | { readonly decision: 'revise'; readonly input: unknown }
);

interface RelaysOptions {
  readonly permissions: PermissionState;
  readonly hub: EventHub;
  readonly thread: () => OpenThread | undefined;
  /** Stores an answer, and resumes its run when no process owns it. */
  readonly answer: (threadId: string, relayId: string, answer: Answer) => Promise<void>;
  /** Switches to the default mode when the decision is stored; rejects when it is not. */
  readonly finishPlanning: (decided: Promise<void>) => Promise<void>;
}

/** Applies the decisions of a person to pending relays: the first answer wins, a later one is rejected. */
export class Relays {
  readonly #options: RelaysOptions;
  /** Relays whose answer is being stored. */
  readonly #answering = new Set<string>();
  readonly #questions = new Map<string, RegisteredQuestion['resolve']>();
  readonly #plans = new Map<string, RegisteredPlan['resolve']>();

  constructor(options: RelaysOptions) {
    this.#options = options;
  }

  registerQuestion({ questionId, resolve }: RegisteredQuestion): void {
    this.#questions.set(questionId, resolve);
  }

  registerPlan({ planId, resolve }: RegisteredPlan): void {
    this.#plans.set(planId, resolve);
  }

  /** Clears everything that tools registered: their run has ended. */
  clear(): void {
    this.#questions.clear();
    this.#plans.clear();
    this.#answering.clear();
  }

  /** Answers a pending call; always allowing its category also approves the other pending calls of that category. */
  approve(approval: ToolApproval): void {
    const { decision, toolCallId, feedback } = approval;
    const relay = this.#find('approval', toolCallId);
    const words = defined({ feedback });
    if (approval.decision === 'revise')
      return this.#answer(relay, { outcome: 'revise', input: approval.input, ...words });
    const remember = approval.decision === 'approve' ? defined({ remember: approval.remember }) : {};
    this.#answer(relay, { outcome: decision === 'decline' ? 'reject' : 'approve', ...words, ...remember });
    if (decision !== 'always_allow_category' || relay.relayKind !== 'permission') return;
    const category = this.#options.permissions.categoryOfCall(relay);
    if (category !== null) this.grant({ category });
  }

  /** Answers a question of an agent, or of a tool that registered it. */
  answerQuestion(questionId: string, answer: HarnessQuestionAnswer): void {
    if (this.#resolve(this.#questions, 'question', questionId, answer)) return;
    const relay = this.#find('question', questionId);
    this.#answer(relay, answerTo(relay, answer));
  }

  /** Decides on a pending plan; resolves when the decision is stored and the mode is switched. */
  async decidePlan(planId: string, response: PlanResponse): Promise<void> {
    const { hub, finishPlanning } = this.#options;
    const { action, feedback } = response;
    const isApproved = action === 'approved';
    if (this.#resolve(this.#plans, 'plan', planId, response)) {
      if (isApproved) hub.emit({ type: 'plan_approved' });
      return isApproved ? finishPlanning(Promise.resolve()) : undefined;
    }
    const outcome = isApproved ? 'approve' : 'reject';
    const decided = this.#settle(this.#find('plan', planId), { outcome, ...defined({ feedback }) });
    await (isApproved ? finishPlanning(decided) : decided);
  }

  /** Gives a suspended call its data, the oldest by default; rejects when another answer was first. */
  async resume(toolCallId: string | undefined, resumeData: unknown): Promise<void> {
    const relay = this.#find('suspension', toolCallId);
    await this.#settle(relay, suspensionAnswer(relay, resumeData));
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
    return this.#waiting('approval').some(relay => relay.toolCallId === toolCallId);
  }

  #approveAllowed(): void {
    for (const relay of this.#waiting('approval'))
      if (relay.relayKind === 'permission' && this.#isAllowed(relay)) this.#answer(relay, { outcome: 'approve' });
  }

  /** A category resolver that throws allows nothing. */
  #isAllowed(relay: Relay & { relayKind: 'permission' }): boolean {
    if (relay.personOnly === true) return false;
    try {
      return this.#options.permissions.allows(relay);
    } catch {
      return false;
    }
  }

  /** The pending relays of a slot without an answer, oldest first. */
  #waiting(slot: RelaySlot): readonly Relay[] {
    const thread = this.#options.thread();
    const relays = thread === undefined ? [] : waitingRelays(thread.projection.relays, slot);
    return relays.filter(({ id }) => !this.#answering.has(id));
  }

  /** Finds a pending relay; throws `relay_resolved` when it was answered, `relay_not_found` when it is unknown. */
  #find(slot: RelaySlot, id?: string): Relay {
    const found = id === undefined ? this.#waiting(slot)[0] : this.#known(slot, id);
    if (found !== undefined && !this.#answering.has(found.id)) return found;
    const what = id === undefined ? slot : `${slot} "${id}"`;
    const details = { slot, ...defined({ id }) };
    if (found !== undefined || (id !== undefined && this.#options.thread()?.isSettled(slot, id) === true))
      throw new SingletreeError('relay_resolved', `The ${what} was already answered: the first answer counts.`, {
        details,
      });
    throw new SingletreeError(
      'relay_not_found',
      `No ${what} is pending in the open thread. Answer after \`${eventTypes[slot]}\`, while its thread is open.`,
      { details },
    );
  }

  #known(slot: RelaySlot, id: string): Relay | undefined {
    const thread = this.#options.thread();
    if (thread === undefined) return undefined;
    const { relays } = thread.projection;
    const found = waitingRelay(relays, slot, id);
    if (found !== undefined || slot !== 'question') return found;
    const entry = relays.get(id);
    return entry?.status === 'pending' && entry.relay.relayKind === 'access' ? entry.relay : undefined;
  }

  /** Answers without waiting until the answer is stored; an approval whose answer was not stored is emitted again. */
  #answer(relay: Relay, answer: Answer): void {
    const { hub } = this.#options;
    void this.#settle(relay, answer).catch((error: unknown) => {
      hub.emitError(error);
      if (SingletreeError.is(error, 'relay_resolved')) return;
      const [first] = this.#waiting('approval');
      if (first !== undefined && hub.view.pendingApproval === null) hub.emit(relayEvent(first));
    });
  }

  /** Answers; rejects when another answer was first. */
  async #settle({ id }: Relay, answer: Answer): Promise<void> {
    const thread = this.#options.thread();
    if (thread === undefined)
      throw new SingletreeError(
        'relay_not_found',
        `No thread is open, so "${id}" cannot be answered. Open its thread first.`,
      );
    this.#answering.add(id);
    try {
      await this.#options.answer(thread.relayThread(id), id, answer);
    } catch (error) {
      this.#answering.delete(id);
      throw error;
    }
  }

  /** Resolves the request that a tool registered, and removes it from the display; returns false for an unknown one. */
  #resolve<Value>(waiting: Map<string, (value: Value) => void>, slot: RelaySlot, id: string, value: Value): boolean {
    const resolve = waiting.get(id);
    if (resolve === undefined) return false;
    waiting.delete(id);
    this.#options.hub.emit({ type: 'relay_settled', slot, id });
    resolve(value);
    return true;
  }
}

/** The event that announces a relay of each slot. */
const eventTypes: Record<RelaySlot, ProjectedEvent['type']> = {
  approval: 'tool_approval_required',
  suspension: 'tool_suspended',
  question: 'ask_question',
  plan: 'plan_approval_required',
};

/** Converts the answer to a question; access is granted for the thread with "yes", "allow" or "approve". */
function answerTo(relay: Relay, answer: HarnessQuestionAnswer): Answer {
  if (relay.relayKind !== 'access')
    return { outcome: 'answer', answer: typeof answer === 'string' ? answer : [...answer] };
  const word = typeof answer === 'string' ? answer : (answer[0] ?? '');
  return /^(y|yes|allow|approve)\b/i.test(word.trim())
    ? { outcome: 'approve', remember: 'thread' }
    : { outcome: 'reject' };
}

/** Converts the data for a suspension; one that takes only a decision, as that of a limit, gets it as `approved`. */
function suspensionAnswer(relay: Relay, resumeData: unknown): Answer {
  if (possibleAnswers(relay).includes('answer')) return { outcome: 'answer', input: resumeData };
  const { success, data } = z.object({ approved: z.boolean() }).safeParse(resumeData);
  if (success) return { outcome: data.approved ? 'approve' : 'reject' };
  throw new SingletreeError(
    'invalid_argument',
    `Invalid answer to "${relay.id}": expected a decision. Pass { resumeData: { approved: true } } or { approved: false }.`,
  );
}
