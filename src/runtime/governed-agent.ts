import { defined } from '../base/defined.ts';
import type { Agent, InvokeParams, Tool } from '../agents/contract/agent.ts';
import type { DecisionSource } from '../agents/contract/permissions.ts';
import type { Memory } from '../agents/memory/memory.ts';
import type { AgentEvent, LoggedEvent } from '../events/vocabulary.ts';
import { currentTime } from '../log/event-time.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import type { EventLog } from '../log/event-log.ts';
import { readEvents } from '../log/read-events.ts';
import type { ApprovalContext, ApprovalPolicy } from './approval-policy.ts';

/** The tools, memory and place that a runtime adds to its agents. */
export interface Governance {
  readonly tools: readonly Tool[];
  readonly memory: Memory | undefined;
  /** The thread in which a run that a person asked for takes place. */
  readonly place: Place;
}

/** The policies of runtimes: the one of the agent that makes a call decides, not those it inherits. */
const policies = new WeakSet<DecisionSource>();

/** Returns the agent with the tools, the policy and the place of a runtime, for every caller. */
export function governedAgent(agent: Agent, { tools, memory, place: own }: Governance): Agent {
  async function* invoke(params: InvokeParams): AsyncGenerator<AgentEvent> {
    const above = params.host.request instanceof RuntimeContext ? params.host.request : undefined;
    const place = above?.place ?? own;
    const request = new RuntimeContext(place, agent.id);
    const source: DecisionSource = call => place.policy.decide({ kind: 'tool', ...call }, request);
    policies.add(source);
    const inherited = (params.host.permissions ?? []).filter(each => !policies.has(each));
    const given = {
      ...params,
      host: {
        ...params.host,
        tools: [...tools, ...(params.host.tools ?? [])],
        permissions: [...inherited, source],
        request,
        ...defined({ memory }),
      },
    };
    // The outermost run applies the policy's timeout to relays without an expiry.
    const timeoutMs = above === undefined ? place.policy.timeoutMs : undefined;
    for await (const event of agent.invoke(given))
      yield event.type === 'relay' && timeoutMs !== undefined
        ? { expiresAt: new Date(currentTime(place.log) + timeoutMs).toISOString(), ...event }
        : event;
  }
  return {
    id: agent.id,
    ...defined({ abilities: agent.abilities, categoryOf: agent.categoryOf }),
    invoke,
  };
}

/** The place that the runs of a thread share. */
export interface Place {
  readonly threadId: string;
  readonly resourceId: string;
  readonly log: EventLog;
  readonly policy: ApprovalPolicy;
  /** The plans that calls of this process work on. */
  readonly plansAtWork: Set<string>;
}

/** The `request` of the tool calls of a run. */
export class RuntimeContext implements ApprovalContext {
  readonly place: Place;
  readonly agent: string;

  constructor(place: Place, agent: string) {
    this.place = place;
    this.agent = agent;
  }

  get threadId(): string {
    return this.place.threadId;
  }

  get resourceId(): string {
    return this.place.resourceId;
  }

  /** Yields the events of the thread without imported ones, oldest first. */
  async *history(): AsyncIterable<LoggedEvent> {
    const { importedSeq } = (await this.place.log.getThread(this.threadId)) ?? {};
    yield* readEvents(this.place.log, this.threadId, importedSeq);
  }

  /** Returns the `request` of a call; throws `invalid_argument` when no runtime runs it. */
  static of(request: unknown): RuntimeContext {
    if (request instanceof RuntimeContext) return request;
    throw new SingletreeError('invalid_argument', 'This tool works in a runtime only: run its agent by createRuntime.');
  }
}
