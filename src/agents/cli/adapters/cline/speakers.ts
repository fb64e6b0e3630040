import { OpenCalls } from '../../shared/open-calls.ts';

export type Kind = 'text' | 'reasoning';

/** An agent that writes to the stream: the main one, a subagent or a teammate. */
export class Speaker {
  readonly runId: string;
  /** Its key among the child runs; undefined for the main agent. */
  readonly key: string | undefined;
  /** The call that started it. */
  readonly callId: string | undefined;
  readonly calls = new OpenCalls();
  /** The number of its calls that wait for a result. */
  waiting = 0;
  /** Its open calls for subagents that have not started yet. */
  readonly spawns = new Set<string>();
  /** Its newest call for the work of each teammate, by the teammate's name. */
  readonly tasks = new Map<string, string>();
  iteration = 0;
  /** The number of its model call, and of the current part. */
  message = 0;
  part = 0;
  readonly streams = new Map<Kind, { readonly part: number; text: string }>();
  /** The error that ended its work. */
  failure: string | undefined;
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
 * Attributes records to agents. Records of subagents are unmarked: hooks, which name the agent, precede calls, results
 * and ends; counts that fit only one agent decide the rest. When several fit, the one that started first is chosen.
 */
export class Speakers {
  readonly main: Speaker;
  readonly #running: Speaker[];
  readonly #byAgent = new Map<string, Speaker>();
  /** Returns the agent that makes the next tool call. */
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

  /** Registers the start of a subagent. */
  add(agentId: string, speaker: Speaker): void {
    this.#byAgent.set(agentId, speaker);
    this.#running.push(speaker);
  }

  /** Registers the end of a subagent: later records are not attributed to it. */
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

  /** Registers a hook: this agent is about to call a tool, receive a result or end. */
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
    const announced = this.#resulting;
    this.#resulting = undefined;
    if (announced?.calls.find(rawId) !== undefined) return announced;
    return this.#running.findLast(speaker => speaker.calls.find(rawId) !== undefined) ?? this.free();
  }

  /** Returns the running subagent that a call started. */
  ofSpawn(callId: string): Speaker | undefined {
    return this.#running.find(speaker => speaker.callId === callId);
  }

  ofEnd(): Speaker {
    const announced = this.#ending;
    this.#ending = undefined;
    return announced ?? this.free();
  }

  ofIteration(iteration: number): Speaker {
    return this.free(speaker => speaker.iteration === iteration - 1);
  }

  /** Returns the agent that writes this fragment; `total` is the length of the text with it. */
  ofFragment(kind: Kind, length: number, total: number | undefined): Speaker {
    const before = total === undefined ? undefined : total - length;
    return this.free(speaker => (speaker.streams.get(kind)?.text.length ?? 0) === before);
  }

  /** Returns the agent that wrote this text. */
  ofText(kind: Kind, whole: string): Speaker {
    return this.free(speaker => {
      const streamed = speaker.streams.get(kind)?.text;
      return streamed !== undefined && whole.startsWith(streamed);
    });
  }

  /** Returns the agent that had these totals before; undefined when none had. */
  ofTotals(input: number, output: number): Speaker | undefined {
    return this.#order.find(speaker => speaker.inputTotal === input && speaker.outputTotal === output);
  }

  /**
   * Returns the first match among the agents that wait for no tool, else the first of them, else the one that started
   * last.
   */
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
