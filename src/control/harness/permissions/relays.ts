import * as z from 'zod';
import { defined } from '../../../base/defined.ts';
import type { RelayAnswer } from '../../../agents/contract/host.ts';
import type { Remember } from '../../../agents/permissions/grants.ts';
import type { EventOf } from '../../../events/vocabulary.ts';
import { SingletreeError } from '../../../base/singletree-error.ts';
import { possibleAnswers } from '../../../projections/possible-answers.ts';
import type { ProjectedEvent } from '../harness-event.ts';
import type { OpenThread } from '../threads/open-thread.ts';
import { type RelaySlot, waitingAccess, waitingRelay, waitingRelays } from '../projection/relay-slots.ts';
import type { PlanResponse, HarnessQuestionAnswer, RequestContext } from '../tools/request-context.ts';

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

export interface RelaysOptions {
  readonly thread: () => OpenThread | undefined;
  readonly answer: (threadId: string, relayId: string, answer: Answer) => Promise<void>;
  /** Removes an answered, registered item from the display. */
  readonly onSettled: (slot: RelaySlot, id: string) => void;
  /** Receives the error of an answer that could not be stored, such as a second answer. */
  readonly onError: (error: unknown) => void;
}

/** Answers pending relays: the first answer wins, a later one is rejected. */
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

  /** The pending relays of a slot without an answer, oldest first. */
  waiting(slot: RelaySlot): readonly Relay[] {
    const thread = this.#options.thread();
    const relays = thread === undefined ? [] : waitingRelays(thread.projection.relays, slot);
    return relays.filter(({ id }) => !this.#answering.has(id));
  }

  /** Finds a pending relay; throws `relay_resolved` when it was answered, `relay_not_found` when it is unknown. */
  find(slot: RelaySlot, id?: string): Relay {
    const found = id === undefined ? this.waiting(slot)[0] : this.#known(slot, id);
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

  /** Answers without waiting until the answer is stored. */
  answer(relay: Relay, answer: Answer): void {
    void this.settle(relay, answer).catch(this.#options.onError);
  }

  /** Answers; rejects when another answer was first. */
  async settle({ id }: Relay, answer: Answer): Promise<void> {
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

  /** Answers a question that a tool registered; false when it is unknown. */
  answerRegistered(questionId: string, answer: HarnessQuestionAnswer): boolean {
    return this.#resolve(this.#questions, 'question', questionId, answer);
  }

  /** Decides on a plan that a tool registered; false when it is unknown. */
  decideRegistered(planId: string, response: PlanResponse): boolean {
    return this.#resolve(this.#plans, 'plan', planId, response);
  }

  /** Clears everything that tools registered: their run has ended. */
  clear(): void {
    this.#questions.clear();
    this.#plans.clear();
    this.#answering.clear();
  }

  #known(slot: RelaySlot, id: string): Relay | undefined {
    const thread = this.#options.thread();
    if (thread === undefined) return undefined;
    const { relays } = thread.projection;
    return waitingRelay(relays, slot, id) ?? (slot === 'question' ? waitingAccess(relays, id) : undefined);
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

/** The event that announces a relay of each slot. */
const eventTypes: Record<RelaySlot, ProjectedEvent['type']> = {
  approval: 'tool_approval_required',
  suspension: 'tool_suspended',
  question: 'ask_question',
  plan: 'plan_approval_required',
};

/** Converts the answer to a question; access is granted for the thread with "yes", "allow" or "approve". */
export function answerTo(relay: Relay, answer: HarnessQuestionAnswer): Answer {
  if (relay.relayKind !== 'access')
    return { outcome: 'answer', answer: typeof answer === 'string' ? answer : [...answer] };
  const word = typeof answer === 'string' ? answer : (answer[0] ?? '');
  return /^(y|yes|allow|approve)\b/i.test(word.trim())
    ? { outcome: 'approve', remember: 'thread' }
    : { outcome: 'reject' };
}

/** Converts the data for a suspension; one that takes only a decision, as that of a limit, gets it as `approved`. */
export function suspensionAnswer(relay: Relay, resumeData: unknown): Answer {
  if (possibleAnswers(relay).includes('answer')) return { outcome: 'answer', input: resumeData };
  const { success, data } = z.object({ approved: z.boolean() }).safeParse(resumeData);
  if (success) return { outcome: data.approved ? 'approve' : 'reject' };
  throw new SingletreeError(
    'invalid_argument',
    `Invalid answer to "${relay.id}": expected a decision. Pass { resumeData: { approved: true } } or { approved: false }.`,
  );
}
