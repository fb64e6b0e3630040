import type { UserMessage } from '../../agents/agent.ts';
import { type ContentPart, newId } from '../../events/index.ts';
import type { RunHandle } from '../run-control.ts';
import type { RequestContext } from './request-context.ts';
import type { RunTrace } from './tracing.ts';

/** Something a person says. */
export interface Said {
  readonly content: string | readonly ContentPart[];
  readonly requestContext?: RequestContext | undefined;
  /** What is known of the trace of the run it begins. */
  readonly trace?: Partial<RunTrace> | undefined;
  /** Its id while it waits to be taken in; a new one when absent. */
  readonly id?: string;
  /** Whether no answer is wanted: it begins no turn of its own when the one under way is over. */
  readonly isQuiet?: boolean;
}

interface Waiting extends UserMessage {
  readonly isQuiet: boolean;
}

/** One answer of the agent, from the moment it is asked for until it is told to its end. */
export interface Turn {
  /** What is said meanwhile and not taken in yet. */
  readonly steering: Waiting[];
  /** The runs of it; none while it starts. */
  handles: readonly RunHandle[];
  /** What is known of the trace of its run. */
  trace: Partial<RunTrace> | undefined;
  /** Whether its run is to end before its next step. */
  endsAtStep: boolean;
  /** What is done when it is over, before what waits is sent. */
  atEnd?: () => Promise<void>;
}

export interface TurnsOptions {
  /** Starts the run of a turn, and puts it there in the moment from which it can be stopped. */
  readonly start: (turn: Turn, said: Said) => Promise<void>;
  readonly stop: (handle: RunHandle) => Promise<void>;
  /** Called when the runs of a turn ended, before anybody hears of it; `unread` is what nobody answers any more. */
  readonly settle: (turn: Turn, unread: readonly UserMessage[]) => Promise<void>;
  readonly onQueued: (count: number) => void;
  /** Told what went wrong with a message that nobody waits for. */
  readonly onError: (error: unknown) => void;
}

interface Open {
  readonly turn: Turn;
  readonly started: Promise<void>;
  /** Resolves when the turn was told to its end; rejects when it could not start. */
  readonly ended: Promise<void>;
  isStopped: boolean;
  /** Whether it was stopped before it had a run: that is stopped as soon as it is there. */
  stopsAtStart: boolean;
  /** Whether its runs have ended: it takes nothing in any more. */
  isOver: boolean;
}

/** What a person says to the agent: one turn at a time; what is said meanwhile is taken in, or waits for its turn. */
export class Turns {
  readonly #options: TurnsOptions;
  #open: Open | undefined;
  #followUps: Said[] = [];

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** The turn that is under way. */
  get current(): Turn | undefined {
    return this.#open?.turn;
  }

  /** Whether what is said now is put into the turn that is under way. */
  get takesIn(): boolean {
    return this.#open !== undefined && !this.#open.isOver && !this.#open.isStopped;
  }

  get followUpCount(): number {
    return this.#followUps.length;
  }

  /**
   * Resolves when the turn it begins is over; put into the turn that is under way it resolves when that has started. A
   * turn that is being stopped, or was told to its end, takes nothing in: it is sent after it.
   */
  send(said: Said): Promise<void> {
    if (this.#open === undefined) return this.#begin(said);
    if (!this.takesIn) return this.ended().then(() => this.send(said));
    const { content, id = newId(), isQuiet = false } = said;
    this.#open.turn.steering.push({ id, content, isQuiet });
    return this.#open.started;
  }

  /** Sends when no turn is under way; else it waits for its end, and those before it. */
  async followUp(said: Said): Promise<void> {
    if (this.#open === undefined) return this.#begin(said);
    this.#followUps.push(said);
    this.#options.onQueued(this.#followUps.length);
  }

  /** Takes over a turn whose runs are under way already. */
  adopt(turn: Turn): void {
    void this.#enter(turn, Promise.resolve()).catch(this.#options.onError);
  }

  /** Stops the turn, also one that is only starting; what waits is sent then. */
  abort(): void {
    if (this.#open === undefined) return;
    const { handles } = this.#open.turn;
    this.#open.isStopped = true;
    this.#open.stopsAtStart = handles.length === 0;
    for (const handle of handles) void this.#options.stop(handle).catch(this.#options.onError);
  }

  /** Stops the turn and waits for its end; one that is only starting is left alone. */
  async stop(): Promise<void> {
    const open = this.#open;
    if (open === undefined || open.turn.handles.length === 0) return;
    this.abort();
    await open.ended.catch(() => {});
  }

  /** The run of the turn that is under way, when it has started. */
  async started(): Promise<string> {
    const open = this.#open;
    await open?.started;
    return open?.turn.handles[0]?.runId ?? '';
  }

  /** Resolves when the turn that is under way is over. */
  async ended(): Promise<void> {
    await this.#open?.ended.catch(() => {});
  }

  /** The end of what runs is told: what is said from now on is for the next turn. One that only starts has not begun. */
  over(): void {
    if (this.#open !== undefined && this.#open.turn.handles.length > 0) this.#open.isOver = true;
  }

  /** Forgets what waits. */
  forget(): void {
    this.#followUps = [];
  }

  #begin(said: Said): Promise<void> {
    const turn = newTurn(said.trace);
    const start = async () => {
      await this.#options.start(turn, said);
      if (this.#open?.turn === turn && this.#open.stopsAtStart) this.abort();
    };
    return this.#enter(turn, start());
  }

  #enter(turn: Turn, started: Promise<void>): Promise<void> {
    const ended = started.then(() => this.#run(turn)).finally(() => this.#next(turn));
    this.#open = { turn, started, ended, isStopped: false, stopsAtStart: false, isOver: false };
    return ended;
  }

  async #run(turn: Turn): Promise<void> {
    const outcomes = await Promise.all(turn.handles.map(({ done }) => done));
    this.over();
    const isAnswered =
      outcomes.every(outcome => outcome === 'complete') && turn.steering.some(({ isQuiet }) => !isQuiet);
    const late = isAnswered ? turn.steering.splice(0) : [];
    const content = late.flatMap(({ content }) => partsOf(content));
    if (content.length > 0) this.#followUps.unshift({ content });
    await this.#options.settle(turn, turn.steering.splice(0));
    await turn.atEnd?.();
  }

  /** The next turn begins at once, so that there is no moment of rest between. */
  #next(turn: Turn): void {
    if (this.#open?.turn !== turn) return;
    this.#open = undefined;
    const next = this.#followUps.shift();
    if (next !== undefined) void this.#begin(next).catch(this.#options.onError);
  }
}

export function newTurn(trace?: Partial<RunTrace>): Turn {
  return { steering: [], handles: [], trace, endsAtStep: false };
}

function partsOf(content: string | readonly ContentPart[]): readonly ContentPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
