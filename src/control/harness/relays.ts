import type { RelayAnswer } from '../../agents/agent.ts';
import { type EventOf, SingletreeError } from '../../events/index.ts';
import type { ProjectedEvent } from './harness-event.ts';
import type { OpenThread } from './open-thread.ts';
import { type RelaySlot, waitingRelay } from './projection/relay-queues.ts';
import type { PlanResponse, HarnessQuestionAnswer, RequestContext } from './request-context.ts';

type Relay = EventOf<'relay'>;
type Answer = Omit<RelayAnswer, 'relayId'>;

/** A question that a tool asks by itself, and what takes the answer. */
export interface RegisteredQuestion {
  readonly questionId: string;
  readonly resolve: (answer: HarnessQuestionAnswer) => void;
}

/** A plan that a tool submits by itself, and what takes the decision. */
export interface RegisteredPlan {
  readonly planId: string;
  readonly resolve: (response: PlanResponse) => void;
}

/** A decision about a call: `toolCallId` names one when several wait, else the oldest is meant. */
export type ToolApproval = {
  readonly toolCallId?: string;
  readonly feedback?: string;
  readonly requestContext?: RequestContext;
} & (
  | { readonly decision: 'approve' | 'decline' | 'always_allow_category' }
  | { readonly decision: 'revise'; readonly input: unknown }
);

export interface RelaysOptions {
  readonly thread: () => OpenThread | undefined;
  readonly answer: (threadId: string, relayId: string, answer: Answer) => Promise<void>;
  /** Takes away from the display what was registered and has its answer. */
  readonly onSettled: (slot: RelaySlot, id: string) => void;
  /** Told when an answer did not get through, such as when somebody else was first. */
  readonly onError: (error: unknown) => void;
}

/** Answers what waits for a person: the first answer wins, a later one is refused. */
export class Relays {
  readonly #options: RelaysOptions;
  /** Answers that are on their way into the log. */
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

  /** What waits in a place and has no answer on its way, oldest first. */
  waiting(slot: RelaySlot): readonly Relay[] {
    const relays = this.#options.thread()?.projection.relays[slot] ?? [];
    return relays.filter(({ id }) => !this.#answering.has(id));
  }

  /** The one that waits; `relay_resolved` when it has its answer, `relay_not_found` when nothing is known of it. */
  find(slot: RelaySlot, id?: string): Relay {
    const found = id === undefined ? this.waiting(slot)[0] : this.#known(slot, id);
    if (found !== undefined && !this.#answering.has(found.id)) return found;
    const what = id === undefined ? slot : `${slot} "${id}"`;
    const details = { slot, ...(id !== undefined && { id }) };
    if (found !== undefined || (id !== undefined && this.#options.thread()?.isSettled(slot, id) === true))
      throw new SingletreeError('relay_resolved', `The ${what} was answered before: the first answer counts.`, {
        details,
      });
    throw new SingletreeError(
      'relay_not_found',
      `No ${what} waits in the open thread: answer when \`${toldAs[slot]}\` is told, with the thread open in which it waits.`,
      { details },
    );
  }

  /** Answers without waiting for it to be stored. */
  answer(relay: Relay, answer: Answer): void {
    void this.settle(relay, answer).catch(this.#options.onError);
  }

  /** Answers; rejects when somebody else was first. */
  async settle({ id }: Relay, answer: Answer): Promise<void> {
    const thread = this.#options.thread();
    if (thread === undefined) throw new SingletreeError('relay_not_found', `No thread is open in which "${id}" waits.`);
    this.#answering.add(id);
    try {
      await this.#options.answer(thread.id, id, answer);
    } catch (error) {
      this.#answering.delete(id);
      throw error;
    }
  }

  /** Answers a question that a tool registered; false when there is none. */
  answerRegistered(questionId: string, answer: HarnessQuestionAnswer): boolean {
    return this.#resolve(this.#questions, 'question', questionId, answer);
  }

  /** Decides on a plan that a tool registered; false when there is none. */
  decideRegistered(planId: string, response: PlanResponse): boolean {
    return this.#resolve(this.#plans, 'plan', planId, response);
  }

  /** Forgets what tools registered: their run is over. */
  forget(): void {
    this.#questions.clear();
    this.#plans.clear();
    this.#answering.clear();
  }

  #known(slot: RelaySlot, id: string): Relay | undefined {
    const thread = this.#options.thread();
    if (thread === undefined) return undefined;
    return (
      waitingRelay(thread.projection.relays, slot, id) ?? (slot === 'question' ? thread.access.get(id) : undefined)
    );
  }

  #resolve<Value>(waiting: Map<string, (value: Value) => void>, slot: RelaySlot, id: string, value: Value): boolean {
    const resolve = waiting.get(id);
    if (resolve === undefined) return false;
    waiting.delete(id);
    this.#options.onSettled(slot, id);
    resolve(value);
    return true;
  }
}

/** The event that tells a person what waits in a place. */
const toldAs: Record<RelaySlot, ProjectedEvent['type']> = {
  approval: 'tool_approval_required',
  suspension: 'tool_suspended',
  question: 'ask_question',
  plan: 'plan_approval_required',
};

/** The answer to what was asked as a question: access is given with a yes. */
export function answerTo(relay: Relay, answer: HarnessQuestionAnswer): Answer {
  if (relay.relayKind !== 'access')
    return { outcome: 'answer', answer: typeof answer === 'string' ? answer : [...answer] };
  const word = typeof answer === 'string' ? answer : (answer[0] ?? '');
  return /^(y|yes|allow|approve)\b/i.test(word.trim()) ? { outcome: 'approve' } : { outcome: 'reject' };
}
