import * as z from 'zod';
import { checkAgentIds } from '../agents/agent-ids.ts';
import type { Agent, Tool } from '../agents/contract/agent.ts';
import type { Subagent } from '../agents/subagents/agent-tool.ts';
import { invalidArgument, optionsCheck, type OptionFields } from '../base/options/check-options.ts';
import {
  agent,
  callback,
  clock,
  eventLog,
  field,
  having,
  milliseconds,
  name,
  object,
  signal,
  text,
} from '../base/options/option-fields.ts';
import { type Limits, limitsField } from '../agents/limits/limits.ts';
import { type Memory, memoryField } from '../agents/memory/memory.ts';
import type { RunFollower } from '../control/supervision/run-control.ts';
import type { EventLog } from '../log/event-log.ts';
import type { Currency, PriceOf } from '../protocols/request/totals.ts';
import type { ApprovalsOptions } from './approval-policy.ts';
import type { Clock } from '../agents/clock.ts';
import type { ContextOf } from '../control/supervision/run-input.ts';
import type { ApprovalAnswer } from './approvals.ts';

export interface RuntimeOptions {
  /** The main agent. */
  readonly agent?: Agent;
  /** More agents, selected by id; the first one is the default when no `agent` is set. */
  readonly agents?: readonly Agent[];
  /**
   * Agents for one kind of task: other agents can start them with the tool `agent`, and `runSpecialist` calls them
   * directly.
   */
  readonly specialists?: readonly Subagent[];
  /** Whose threads these are: a user, a project, a tenant. */
  readonly resourceId: string;
  /** Where threads are kept; in memory when absent. */
  readonly storage?: EventLog;
  /** The rules for asking a person. */
  readonly approvals?: ApprovalsOptions;
  /** Tools that every agent gets in addition to its own. */
  readonly tools?: readonly Tool[];
  /** Observes the conversations of all agents and replaces their own memories. */
  readonly memory?: Memory;
  /** Makes the context of runs for which none was passed: of resumed ones and messages that waited. */
  readonly contextOf?: ContextOf;
  /** Limits of spending: reaching one ends a request with the error `limit_reached`. */
  readonly limits?: Limits;
  /** Follows its runs, such as a `new Telemetry({ log, url })` that exports their spans. */
  readonly telemetry?: RunFollower;
  /** The currency of cost summaries; US dollars when absent. */
  readonly currency?: Currency;
  /** Returns the cost of a usage report in US dollars; by default the cost in the report. */
  readonly priceOf?: PriceOf;
  /** How long an agent that is cancelled may take, in milliseconds; 2,000 when absent. */
  readonly graceMs?: number;
  /** Times the expiry of approvals and the search for runs without an owner; the machine's clock when absent. */
  readonly clock?: Clock;
}

/** Throws `invalid_argument` for options that are unknown, missing or invalid. */
export const checkRuntimeOptions = optionsCheck<RuntimeOptions>('createRuntime')(() => ({
  agent: agent().optional(),
  agents: z.array(agent()).optional(),
  specialists: z.array(z.looseObject({ agent: agent(), description: z.string() })).optional(),
  resourceId: name(),
  storage: eventLog().optional(),
  // Checked by the policy itself.
  approvals: object().optional(),
  tools: field(Array.isArray, 'an array of tools').optional(),
  memory: memoryField().optional(),
  contextOf: callback().optional(),
  limits: limitsField().optional(),
  telemetry: having(['follow'], 'a `new Telemetry({ log, url })`').optional(),
  currency: z.object({ code: name(), perDollar: z.number().positive() }).optional(),
  priceOf: callback().optional(),
  graceMs: milliseconds().optional(),
  clock: clock().optional(),
}));

/** The agents of a runtime, the one asked by default first; throws `invalid_argument` when two have the same id. */
export function listAgents({ agent, agents = [], specialists = [] }: RuntimeOptions): readonly Agent[] {
  const asked = [...(agent === undefined ? [] : [agent]), ...agents];
  const all = [...asked, ...specialists.map(each => each.agent)];
  if (asked.length === 0)
    throw invalidArgument('The runtime has no agent: give one as `agent`, or several as `agents`.');
  checkAgentIds('The runtime', all);
  return asked;
}

export interface SpecialistOptions {
  /** It is created when it does not exist. Default: a new thread. */
  readonly threadId?: string;
  /** A `provider/model` id to use instead of the agent's own. */
  readonly model?: string;
  /** The `context` of the tools and instructions; it stays in this process. */
  readonly context?: unknown;
  /** Ends the stream; the run continues. */
  readonly signal?: AbortSignal;
}

export interface QueryOptions extends SpecialistOptions {
  /** The id of the agent to ask. */
  readonly agent?: string;
}

export interface FlowWatchOptions {
  /** How many wire events of the request the reader has already. */
  readonly after?: number;
  /** The run to watch; the newest that a person asked for when absent. */
  readonly runId?: string;
  readonly signal?: AbortSignal;
}

const specialistFields = () =>
  ({
    threadId: name().optional(),
    model: name().optional(),
    context: z.unknown().optional(),
    signal: signal().optional(),
  }) satisfies OptionFields<SpecialistOptions>;

/** Throw `invalid_argument` for options of a method that are unknown, missing or invalid. */
export const checkSpecialist = optionsCheck('runtime.runSpecialist')(specialistFields);

export const checkQuery = optionsCheck<QueryOptions>('runtime.query')(() => ({
  ...specialistFields(),
  agent: name().optional(),
}));

export const checkWatch = optionsCheck<FlowWatchOptions>('runtime.watch')(() => ({
  after: z.number().min(0).optional(),
  runId: name().optional(),
  signal: signal().optional(),
}));

export const checkPending = optionsCheck('runtime.pendingApprovals')(() => ({ threadId: name().optional() }));

export const checkAnswer = optionsCheck<ApprovalAnswer>('runtime.respondToApproval')(() => ({
  feedback: text().optional(),
  partial: z.unknown().optional(),
  answer: z.union([z.string(), z.array(z.string())]).optional(),
}));
