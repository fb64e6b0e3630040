import { defined } from '../../base/defined.ts';
import * as z from 'zod';
import { defineTool } from '../../agents/tool-definition/define-tool.ts';
import type { ToolReturn } from '../../agents/contract/tool-values.ts';
import type { Tool, ToolCall } from '../../agents/contract/agent.ts';
import { toolOutput } from '../../agents/loop/call-context.ts';
import { untilAborted } from '../../agents/run/until-aborted.ts';
import type { EventOf } from '../../events/vocabulary.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { optionsCheck } from '../../base/options/check-options.ts';
import { callback, name as optionName } from '../../base/options/option-fields.ts';
import { RuntimeContext } from '../governed-agent.ts';
import { getResult } from '../../protocols/request/shown-call.ts';
import { checkPlanMove, plansFold } from './plan-fold.ts';

/** A plan that may be carried out. */
export interface ApprovedPlan {
  readonly planId: string;
  readonly title: string;
  readonly plan: string;
  /** The feedback of the person who approved it. */
  readonly feedback?: string;
}

export interface PlanToolOptions {
  /** Carries out a plan; its return value is the result of the call. It is called at most once for a plan. */
  readonly execute: (plan: ApprovedPlan, context: ToolCall) => Promise<ToolReturn> | ToolReturn;
  /** `plan` when absent. */
  readonly name?: string;
}

const checkOptions = optionsCheck<PlanToolOptions>('planTool')(() => ({
  execute: callback(),
  name: optionName().optional(),
}));

type PlanStatus = EventOf<'plan_status'>['to'];

const description =
  'Submits a plan. A person may approve it, then it is carried out at once; or they ask for changes: then submit it again with the same planId.';

const unknown =
  'The outcome of this plan is unknown: the process ended while it was carried out. It was not repeated; check what was done before you plan again.';

/**
 * Creates a tool with which an agent drafts a plan, has it approved and carried out: draft, approved, executing,
 * executed or failed. A plan that is rejected, sent back or unanswered stays a draft, and the agent gets the reason.
 */
export function planTool(options: PlanToolOptions): Tool {
  checkOptions(options);
  const { execute, name = 'plan' } = options;
  return defineTool({
    name,
    description,
    category: 'plan',
    input: z.object({
      title: z.string().min(1),
      plan: z.string().min(1).describe('what is to be done, step by step'),
      planId: z.string().min(1).optional().describe('the id of a draft that this replaces'),
    }),
    timeoutMs: Number.POSITIVE_INFINITY,
    repeatable: true,
    execute: ({ title, plan, planId }, context) =>
      submit({ title, plan, planId: planId ?? context.toolCallId }, context, execute),
  });
}

type Draft = Omit<ApprovedPlan, 'feedback'>;

/** A plan is worked on by one call at a time, so that it cannot be carried out twice side by side. */
async function submit(draft: Draft, context: ToolCall, execute: PlanToolOptions['execute']): Promise<ToolReturn> {
  const { plansAtWork, threadId } = RuntimeContext.of(context.request).place;
  const key = JSON.stringify([threadId, draft.planId]);
  if (plansAtWork.has(key))
    throw new SingletreeError(
      'plan_conflict',
      `Another call works on the plan "${draft.planId}": wait for its result.`,
    );
  plansAtWork.add(key);
  try {
    return await new PlanCall(draft, context).run(execute);
  } finally {
    plansAtWork.delete(key);
  }
}

/** One call that takes a plan from its draft to its end. */
class PlanCall {
  readonly #draft: Draft;
  readonly #context: ToolCall;
  #status: PlanStatus | undefined;

  constructor(draft: Draft, context: ToolCall) {
    this.#draft = draft;
    this.#context = context;
  }

  async run(execute: PlanToolOptions['execute']): Promise<ToolReturn> {
    const { planId } = this.#draft;
    this.#status = await this.#readStatus();
    if (this.#status === 'executing') {
      await this.#move('failed');
      throw new Error(unknown);
    }
    if (this.#status === undefined) await this.#move('draft');
    // A plan that was approved before its process ended needs approval again, since this call may differ.
    if (this.#status !== 'approved') checkPlanMove(planId, this.#status, 'approved');
    const { outcome, feedback, partial } = await this.#decision();
    const response = defined({ feedback, partial });
    if (outcome !== 'approve') return both({ planId, status: 'draft', decision: outcome, ...response });
    if (this.#status === 'draft') await this.#move('approved');
    await this.#move('executing');
    const plan = { ...this.#draft, ...defined({ feedback }) };
    const result = await this.#carryOut(() => execute(plan, this.#context));
    await this.#move('executed');
    return both({ planId, status: 'executed', decision: outcome, ...response, result });
  }

  async #carryOut(execute: () => Promise<ToolReturn> | ToolReturn): Promise<unknown> {
    const { signal } = this.#context;
    try {
      const output = toolOutput(await untilAborted(Promise.resolve().then(execute), signal));
      return 'context' in output ? getResult(output) : output;
    } catch (error) {
      // A stopped run stores events that its calls emit at once, but does not wait for the calls.
      await untilAborted(this.#put('failed'), signal);
      throw error;
    }
  }

  async #decision(): Promise<{ outcome: string; feedback?: string | undefined; partial?: unknown }> {
    const { planId, title, plan } = this.#draft;
    const place = RuntimeContext.of(this.#context.request);
    const { policy, reason } = place.place.policy.decide({ kind: 'plan', planId, title, plan }, place);
    if (policy === 'allow') return { outcome: 'approve' };
    if (policy === 'deny') return { outcome: 'reject', feedback: reason };
    const answer = await this.#context.ask({ relayKind: 'plan', planId, title, plan });
    if (answer === undefined) return { outcome: 'reject', feedback: 'Nobody can be asked.' };
    return { outcome: answer.outcome, feedback: answer.feedback, partial: answer.input };
  }

  async #readStatus(): Promise<PlanStatus | undefined> {
    let state = plansFold.initial;
    for await (const event of RuntimeContext.of(this.#context.request).history()) state = plansFold.step(state, event);
    return state.plans.get(this.#draft.planId)?.status;
  }

  /** Stores the move before anything follows from it. */
  async #move(to: PlanStatus): Promise<void> {
    checkPlanMove(this.#draft.planId, this.#status, to);
    await untilAborted(this.#put(to), this.#context.signal);
    this.#status = to;
  }

  #put(to: PlanStatus): Promise<void> {
    const { planId } = this.#draft;
    const from = this.#status;
    return this.#context.emit({ type: 'plan_status', planId, ...defined({ from }), to });
  }
}

function both(value: unknown): ToolReturn {
  return { context: value, result: value };
}
