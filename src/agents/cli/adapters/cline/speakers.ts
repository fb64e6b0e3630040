import { OpenCalls } from '../../shared/open-calls.ts';

export type Kind = 'text' | 'reasoning';

/** An agent that speaks in the stream: the main one, a subagent or a teammate. */
export class Speaker {
  readonly runId: string;
  /** Its key among the child runs; undefined for the main agent. */
  readonly key: string | undefined;
  /** The call that started it. */
  readonly callId: string | undefined;
  readonly calls = new OpenCalls();
  /** How many of its calls wait for their result. */
  waiting = 0;
  /** Its open calls for subagents that did not start yet. */
  readonly spawns = new Set<string>();
  /** Its newest call for the work of each teammate, by the teammate's name. */
  readonly tasks = new Map<string, string>();
  iteration = 0;
  /** The number of its model call, and of the part of it that is written. */
  message = 0;
  part = 0;
  readonly streams = new Map<Kind, { readonly part: number; text: string }>();
  inputTotal = 0;
  outputTotal = 0;

  constructor(runId: string, key?: string, callId?: string) {
    this.runId = runId;
    this.key = key;
    this.callId = callId;
  }
}

const mostHooks = 1_000;

/**
 * Finds out who speaks. Records of subagents are not marked: hooks, which name the agent, come before calls, results
 * and ends; counts that only fit one agent tell the rest. When several fit, the one that started first is taken.
 */
export class Speakers {
  readonly main: Speaker;
  readonly #running: Speaker[];
  readonly #byAgent = new Map<string, Speaker>();
  /** Who calls a tool next. */
  #callers: Speaker[] = [];
  #resulting: Speaker | undefined;
  #ending: Speaker | undefined;

  constructor(runId: string) {
    this.main = new Speaker(runId);
    this.#running = [this.main];
  }

  /** The first agent is the main one; another without a parent is a teammate, whose records are marked. */
  start(agentId: string): void {
    if (this.#byAgent.size === 0) this.#byAgent.set(agentId, this.main);
  }

  /** A subagent started. */
  add(agentId: string, speaker: Speaker): void {
    this.#byAgent.set(agentId, speaker);
    this.#running.push(speaker);
  }

  /** A subagent ended: nothing is its own any more. */
  remove(speaker: Speaker): void {
    const at = this.#running.indexOf(speaker);
    if (at > 0) this.#running.splice(at, 1);
    this.#callers = this.#callers.filter(caller => caller !== speaker);
    if (this.#resulting === speaker) this.#resulting = undefined;
    if (this.#ending === speaker) this.#ending = undefined;
    for (const [agentId, known] of this.#byAgent) if (known === speaker) this.#byAgent.delete(agentId);
  }

  ofAgent(agentId: string | undefined): Speaker | undefined {
    return agentId === undefined ? undefined : this.#byAgent.get(agentId);
  }

  /** A hook told that this agent is about to call a tool, has a result or ends. */
  expect(what: 'call' | 'result' | 'end', speaker: Speaker | undefined): void {
    if (speaker === undefined) return;
    if (what === 'result') this.#resulting = speaker;
    else if (what === 'end') this.#ending = speaker;
    else if (this.#callers.push(speaker) > mostHooks) this.#callers.shift();
  }

  ofCall(): Speaker {
    return this.#callers.shift() ?? this.free();
  }

  ofResult(rawId: string): Speaker {
    const told = this.#resulting;
    this.#resulting = undefined;
    if (told?.calls.find(rawId) !== undefined) return told;
    return this.#running.findLast(speaker => speaker.calls.find(rawId) !== undefined) ?? this.free();
  }

  /** The subagent that a call started and that still runs. */
  ofSpawn(callId: string): Speaker | undefined {
    return this.#running.find(speaker => speaker.callId === callId);
  }

  ofEnd(): Speaker {
    const told = this.#ending;
    this.#ending = undefined;
    return told ?? this.free();
  }

  ofIteration(iteration: number): Speaker {
    return this.free(speaker => speaker.iteration === iteration - 1);
  }

  /** Who writes this fragment; `total` is the length of the text with it. */
  ofFragment(kind: Kind, length: number, total: number | undefined): Speaker {
    const before = total === undefined ? undefined : total - length;
    return this.free(speaker => (speaker.streams.get(kind)?.text.length ?? 0) === before);
  }

  /** Who wrote this text. */
  ofText(kind: Kind, whole: string): Speaker {
    return this.free(speaker => {
      const streamed = speaker.streams.get(kind)?.text;
      return streamed !== undefined && whole.startsWith(streamed);
    });
  }

  /** Whose totals were these before; undefined when nobody's. */
  ofTotals(input: number, output: number): Speaker | undefined {
    return this.#order.find(speaker => speaker.inputTotal === input && speaker.outputTotal === output);
  }

  /** The first that fits of those that wait for no tool, else the first of them, else the last that started. */
  free(fits: (speaker: Speaker) => boolean = () => true): Speaker {
    if (this.#running.length === 1) return this.main;
    const free = this.#running.filter(isFree);
    return free.find(fits) ?? free[0] ?? this.#running.at(-1) ?? this.main;
  }

  get #order(): readonly Speaker[] {
    if (this.#running.length === 1) return this.#running;
    return [...this.#running.filter(isFree), ...this.#running.filter(speaker => !isFree(speaker))];
  }
}

function isFree({ waiting }: Speaker): boolean {
  return waiting === 0;
}
