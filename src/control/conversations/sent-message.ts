import type { Agent } from '../../agents/contract/agent.ts';
import type { ContentPart } from '../../events/content.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { RunAdditions } from '../../events/run-additions.ts';
import type { RunTrace } from '../../events/trace-context.ts';

/** A message that a person sends to a thread. */
export interface SentMessage {
  readonly content: string | readonly ContentPart[];
  /** The id that its sender chose: a message with the id of an earlier one has no effect. */
  readonly id?: string | undefined;
  /** During a run: whether it is added to the run, the default, or waits until the run has ended. */
  readonly delivery?: 'steer' | 'follow_up' | undefined;
  /** The agent that answers when it begins a turn; by default that of the run it waits for, else the first. */
  readonly agent?: string | undefined;
  /** The model of that turn. */
  readonly model?: string | undefined;
  /** The mode that the thread changes to with that turn. */
  readonly mode?: string | undefined;
  /** Whether it has a request context, which stays in this process. */
  readonly hasContext?: true | undefined;
  /** The name of its author. */
  readonly by?: string | undefined;
  /** The trace of the turn that it begins, when its sender named one. */
  readonly trace?: Partial<RunTrace> | undefined;
  /** The additions of its client to the agent of the turn that it starts. */
  readonly additions?: RunAdditions | undefined;
}

/** Names the run that a message started, was added to, or waits for. */
export interface SendReceipt {
  readonly runId: string;
  /** It is added to the run at its next safe point, or starts a turn if the run ends before that. */
  readonly steered?: true;
  /** It waits until the run has ended. */
  readonly queued?: true;
}

/** The agents that answer; the first is asked when none is named. */
export interface OfferedAgents {
  list(): readonly { readonly id: string }[];
  /** Returns the agent of an id as it works in a thread; undefined when it is not offered. */
  get(id: string, threadId?: string): Agent | undefined;
}

/** Returns the agent that was named, else the first, as it works in a thread; throws `agent_not_found`. */
export function pickAgent(agents: OfferedAgents, named: string | undefined, threadId?: string): Agent {
  const id = named ?? agents.list()[0]?.id;
  const agent = id === undefined ? undefined : agents.get(id, threadId);
  if (agent !== undefined) return agent;
  const known = agents.list().map(each => each.id);
  throw new SingletreeError(
    'agent_not_found',
    id === undefined ? 'No agent is offered here.' : `There is no agent "${id}". Expected one of: ${known.join(', ')}.`,
    { details: { agent: id } },
  );
}

/** Throws `invalid_argument` when the agent has no such mode. */
export function checkMode({ id, modes = [] }: Agent, mode: string | undefined): void {
  if (mode === undefined || modes.some(known => known.id === mode)) return;
  const known = modes.length === 0 ? 'It has no modes.' : `Its modes: ${modes.map(each => each.id).join(', ')}.`;
  throw new SingletreeError('invalid_argument', `The agent "${id}" has no mode "${mode}". ${known}`);
}

/** Throws `not_supported` when an agent cannot use a client's additions. */
export function checkAdditions({ id, abilities }: Agent, additions: RunAdditions | undefined): void {
  if (additions === undefined || abilities?.takesAdditions === true) return;
  const what = additions.tools === undefined ? 'context' : 'tools';
  throw new SingletreeError(
    'not_supported',
    `The agent "${id}" cannot use ${what} of a client. Send none, or use an agent with a loop of its own, such as "coder".`,
    { details: { agent: id } },
  );
}
