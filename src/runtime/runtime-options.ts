import * as z from 'zod';
import { checkAgentIds } from '../agents/agent-ids.ts';
import type { Agent } from '../agents/agent.ts';
import type { Subagent } from '../agents/subagents/agent-tool.ts';
import type { Tool } from '../agents/loop/tool.ts';
import { invalidArgument, optionsCheck } from '../base/options/check-options.ts';
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
} from '../base/options/option-fields.ts';
import { type Limits, limitsField } from '../agents/limits/limits.ts';
import { type Memory, memoryField } from '../agents/memory/memory.ts';
import type { RunFollower } from '../control/supervision/run-control.ts';
import type { EventLog } from '../log/event-log.ts';
import type { Currency, PriceOf } from '../protocols/request/totals.ts';
import type { ApprovalsOptions } from './approval-policy.ts';
import type { Clock } from '../agents/clock.ts';
import type { ContextOf } from '../control/supervision/run-context.ts';

export interface RuntimeOptions {
  /** The agent that is asked. */
  readonly agent?: Agent;
  /** More agents, to be asked by their id; the first is asked when no `agent` is given and none is named. */
  readonly agents?: readonly Agent[];
  /** Agents for one kind of task: the others may start them with the tool `agent`, and `runSpecialist` asks them directly. */
  readonly specialists?: readonly Subagent[];
  /** Whose threads these are: a user, a project, a tenant. */
  readonly resourceId: string;
  /** Where threads are kept; in memory when absent. */
  readonly storage?: EventLog;
  /** What a person is asked about. */
  readonly approvals?: ApprovalsOptions;
  /** Tools that every agent has beside its own. */
  readonly tools?: readonly Tool[];
  /** Observes the conversations of all agents, instead of their own memories. */
  readonly memory?: Memory;
  /** Makes the context of runs for which none was passed: of resumed ones and messages that waited. */
  readonly contextOf?: ContextOf;
  /** Limits of spending: reaching one ends a request with the error `limit_reached`. */
  readonly limits?: Limits;
  /** Follows its runs, such as a `new Telemetry({ log, url })` that exports their spans. */
  readonly telemetry?: RunFollower;
  /** The currency of cost summaries; US dollars when absent. */
  readonly currency?: Currency;
  /** The cost of a usage report in US dollars; what the report itself says when absent. */
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
export function agentsOf({ agent, agents = [], specialists = [] }: RuntimeOptions): readonly Agent[] {
  const asked = [...(agent === undefined ? [] : [agent]), ...agents];
  const all = [...asked, ...specialists.map(each => each.agent)];
  if (asked.length === 0)
    throw invalidArgument('The runtime has no agent: give one as `agent`, or several as `agents`.');
  checkAgentIds('The runtime', all);
  return asked;
}
