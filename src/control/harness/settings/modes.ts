import type { Agent } from '../../../agents/contract/agent.ts';
import { SingletreeError } from '../../../base/singletree-error.ts';
import { defaultMode, type HarnessMode } from '../harness-config.ts';

/** The modes of a harness, and the current one. */
export class Modes<State> {
  readonly list: readonly HarnessMode<State>[];
  readonly default: HarnessMode<State>;
  #current: HarnessMode<State>;

  /** Throws `invalid_argument` without a mode, and for duplicate ids. */
  constructor(modes: readonly HarnessMode<State>[]) {
    const first = defaultMode(modes);
    if (first === undefined) throw invalid('Harness requires at least one agent mode');
    if (new Set(modes.map(({ id }) => id)).size !== modes.length) throw invalid('Two modes have the same id');
    this.list = modes;
    this.default = first;
    this.#current = first;
  }

  get current(): HarnessMode<State> {
    return this.#current;
  }

  /** Throws `not_found` for an unknown mode. */
  find(modeId: string): HarnessMode<State> {
    const mode = this.list.find(({ id }) => id === modeId);
    if (mode !== undefined) return mode;
    const known = this.list.map(({ id }) => id).join(', ');
    throw new SingletreeError('not_found', `Mode not found: ${modeId}. Available modes: ${known}.`, {
      details: { modeId },
    });
  }

  enter(mode: HarnessMode<State>): void {
    this.#current = mode;
  }
}

/** The agent of a mode; an agent factory is called each time. Throws `invalid_argument` when it returns no agent. */
export function agentOfMode<State>({ id, agent }: HarnessMode<State>, state: Readonly<State>): Agent {
  const made: unknown = typeof agent === 'function' ? agent(state) : agent;
  if (isAgent(made)) return made;
  throw new SingletreeError(
    'invalid_argument',
    `The mode "${id}" has no agent that can be invoked. Pass or return an object with \`id\` and \`invoke\`, such as \`loopAgent({ model })\`.`,
    { details: { modeId: id } },
  );
}

/** Whether a value, from a caller without type checking, can be invoked as an agent. */
function isAgent(value: unknown): value is Agent {
  return typeof value === 'object' && value !== null && 'invoke' in value && typeof value.invoke === 'function';
}

function invalid(problem: string): SingletreeError {
  return new SingletreeError('invalid_argument', `${problem}: give each mode of \`modes\` an id and an agent.`);
}
