import * as z from 'zod';
import type { Decision, Policy, ToolRequest } from '../agents/contract/permissions.ts';
import { policy } from '../agents/permissions/rule.ts';
import { optionsCheck } from '../base/options/check-options.ts';

type ToolApproval = { readonly kind: 'tool' } & ToolRequest;

/** The tool call or plan that needs a decision. */
export type ApprovalRequest =
  | ToolApproval
  | { readonly kind: 'plan'; readonly planId: string; readonly title: string; readonly plan: string };

/** The agent, thread and resource of an approval request. */
export interface ApprovalContext {
  readonly agent: string;
  readonly threadId: string;
  readonly resourceId: string;
}

/** Decides synchronously; a predicate that throws or returns another value means `ask`. */
export type ApprovalPredicate<Request extends ApprovalRequest = ApprovalRequest> = (
  request: Request,
  context: ApprovalContext,
) => Policy;

/** The minimum strictness for tools and for plans. */
export interface ApprovalFloor {
  /** `allow` when absent. */
  readonly tools?: Policy;
  /** `ask` when absent. */
  readonly plans?: Policy;
}

/** The rules for asking a person, in addition to those of the agents: the strictest rule decides. */
export interface ApprovalsOptions {
  readonly floor?: ApprovalFloor;
  /** For one agent, by its id. */
  readonly agents?: Readonly<Record<string, ApprovalFloor>>;
  /** For one tool, by its name. */
  readonly tools?: Readonly<Record<string, Policy | ApprovalPredicate<ToolApproval>>>;
  /** For everything. */
  readonly predicate?: ApprovalPredicate;
  /** How long a person has to answer, in milliseconds; no limit when absent. */
  readonly timeoutMs?: number;
}

const floor = z.strictObject({ tools: policy.optional(), plans: policy.optional() });
const predicate = z.custom<ApprovalPredicate>(value => typeof value === 'function', 'expected a function');
const checkOptions = optionsCheck<ApprovalsOptions>('approvals')(() => ({
  floor: floor.optional(),
  agents: z.record(z.string(), floor).optional(),
  tools: z.record(z.string(), z.union([policy, predicate])).optional(),
  predicate: predicate.optional(),
  timeoutMs: z
    .int()
    .positive()
    .max(2 ** 31 - 1)
    .optional(),
}));

/** Decides which requests are allowed, need a person's approval, or are denied. */
export class ApprovalPolicy {
  readonly timeoutMs: number | undefined;
  readonly #options: ApprovalsOptions;

  /** Throws `invalid_argument` for unknown or invalid options: a misspelt policy must not allow anything. */
  constructor(options: ApprovalsOptions = {}) {
    checkOptions(options);
    this.#options = options;
    this.timeoutMs = options.timeoutMs;
  }

  /** Decides about a request. A tool of the category `plan` asks by itself, so the policy of plans applies to it. */
  decide(request: ApprovalRequest, context: ApprovalContext): Decision {
    const isPlanTool = request.kind === 'tool' && request.category === 'plan';
    const kind = request.kind === 'plan' || isPlanTool ? 'plans' : 'tools';
    const { floor = {}, agents = {}, tools = {}, predicate } = this.#options;
    const base = strictest(floor[kind] ?? unset[kind], getOwn(agents, context.agent)?.[kind]);
    const policy = strictest(
      isPlanTool && base === 'ask' ? 'allow' : base,
      request.kind === 'tool' ? getVerdict(getOwn(tools, request.tool), request, context) : undefined,
      getVerdict(predicate, request, context),
    );
    const subject = request.kind === 'plan' ? 'The plan' : request.tool;
    return { policy, reason: `${subject} ${verbs[policy]} by the policy of the runtime` };
  }
}

const unset = { tools: 'allow', plans: 'ask' } as const satisfies Required<ApprovalFloor>;
const verbs: Record<Policy, string> = { allow: 'is allowed', ask: 'needs approval', deny: 'is denied' };

const byStrictness: readonly Policy[] = ['allow', 'ask', 'deny'];

function strictest(...policies: readonly (Policy | undefined)[]): Policy {
  return byStrictness.findLast(policy => policies.includes(policy)) ?? 'allow';
}

function getVerdict<Request extends ApprovalRequest>(
  rule: Policy | ApprovalPredicate<Request> | undefined,
  request: Request,
  context: ApprovalContext,
): Policy | undefined {
  if (typeof rule !== 'function') return rule;
  try {
    return policy.catch('ask').parse(rule(request, context));
  } catch {
    return 'ask'; // A rule that fails decides nothing: a person is asked.
  }
}

function getOwn<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
