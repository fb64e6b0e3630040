import type { UserMessage } from '../../../agents/agent.ts';
import { type ContentPart, newId } from '../../../events/index.ts';
import type { RunHandle, RunOutcome } from '../../supervision/run-control.ts';
import { RequestContext } from '../tools/request-context.ts';
import type { RunTrace } from './tracing.ts';

/** Something a person says. */
export interface UserInput {
  readonly content: string | readonly ContentPart[];
  readonly requestContext?: RequestContext | undefined;
  /** What is known of the trace of the run it begins. */
  readonly trace?: Partial<RunTrace> | undefined;
  /** Its id while it waits to be taken in; a new one when absent. */
  readonly id?: string;
  /** Whether no answer is wanted: it begins no turn of its own when the one under way is over. */
  readonly isQuiet?: boolean;
  /** When it was said: before what has a higher number. 0 when absent. */
  readonly order?: number;
}

interface SteeringMessage extends UserMessage, Pick<UserInput, 'requestContext' | 'order'> {
  readonly isQuiet: boolean;
}

/** Something that waits for its turn. */
interface QueuedInput {
  readonly input: UserInput;
  /** What comes after the turn on purpose is forgotten with its thread; all else is kept there. */
  readonly isFollowUp: boolean;
  /** Told when it is on its way; absent when nobody waits for it. */
  readonly onBegun?: (sent: PendingSend) => void;
}

/** Something that was said, on its way. */
export interface PendingSend {
  /** The run that takes it in, when it has started; empty when none does. */
  readonly runId: () => Promise<string>;
  /** Resolves when the turn it begins is over; when it is put into one, as soon as that has started. */
  readonly done: Promise<void>;
}

/** One answer of the agent, from the moment it is asked for until it is told to its end. */
export interface Turn {
  /** What is said meanwhile and not taken in yet. */
  readonly steering: SteeringMessage[];
  /** When what it answers was said. */
  readonly order: number;
  /** The runs of it; none while it starts. */
  handles: readonly RunHandle[];
  /** What is given to its tools beside what its message brought. */
  readonly extraContexts: RequestContext[];
  /** What is known of the trace of its run. */
  trace: Partial<RunTrace> | undefined;
  /** Whether its run is to end before its next step. */
  endsAtStep: boolean;
  /** What is done when it is over, before what waits is sent. */
  atEnd?: () => Promise<void>;
}

export interface TurnsOptions {
  /** Starts the run of a turn, and puts it there in the moment from which it can be stopped. */
  readonly start: (turn: Turn, input: UserInput) => Promise<void>;
  readonly stop: (handle: RunHandle) => Promise<void>;
  /** Called when the runs of a turn ended, before anybody hears of it; `unread` is what nobody answers any more. */
  readonly settle: (turn: Turn, unread: readonly UserMessage[]) => Promise<void>;
  /** Whether somebody is about to leave the thread or the mode: what is said from now on is for what comes then. */
  readonly isSwitching: () => boolean;
  readonly onQueued: (count: number) => void;
  /** Told what went wrong with a message that nobody waits for. */
  readonly onError: (error: unknown) => void;
}

interface ActiveTurn {
  readonly turn: Turn;
  readonly started: Promise<void>;
  /** Resolves when the turn was told to its end; rejects when it could not start. */
  readonly ended: Promise<void>;
  isStopped: boolean;
  /** Whether it was stopped before it had a run: that is stopped as soon as it is there. */
  stopsAtStart: boolean;
  /** Whether its runs have ended: it takes nothing in any more. */
  isOver: boolean;
  /** Whether its thread was left: it takes nothing in any more, and what it did not answer stays there. */
  isDetached: boolean;
}

/** What a person says to the agent: one turn at a time; what is said meanwhile is taken in, or waits for its turn. */
export class Turns {
  readonly #options: TurnsOptions;
  #active: ActiveTurn | undefined;
  #queue: QueuedInput[] = [];

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** The turn that is under way. */
  get current(): Turn | undefined {
    return this.#active?.turn;
  }

  /** Whether what is said now is put into the turn that is under way. */
  get acceptsInput(): boolean {
    if (this.#active === undefined || this.#options.isSwitching()) return false;
    const { isOver, isStopped, isDetached } = this.#active;
    return !isOver && !isStopped && !isDetached;
  }

  /** Whether a turn is under way that has no run yet. */
  get isStarting(): boolean {
    return this.#active !== undefined && this.#active.turn.handles.length === 0;
  }

  get followUpCount(): number {
    return this.#queue.filter(({ isFollowUp }) => isFollowUp).length;
  }

  /** Begins a turn, or puts it into the one that is under way; one that takes nothing in any more is waited for. */
  send(input: UserInput): PendingSend {
    if (this.#active === undefined) return this.#begin(input);
    if (this.acceptsInput) return this.#steer(this.#active, input);
    return this.#enqueue(input);
  }

  /** Sends when no turn is under way; else it waits for its end, and those before it. */
  async followUp(input: UserInput): Promise<void> {
    if (this.#active === undefined) return this.#begin(input).done;
    this.#queue.push({ input, isFollowUp: true });
    this.#options.onQueued(this.followUpCount);
  }

  /** Puts what waits to be sent into the turn that is under way, if that takes it in by now. */
  deliverQueued(): void {
    if (this.#active === undefined || !this.acceptsInput) return;
    const active = this.#active;
    const sent = this.#queue.filter(({ isFollowUp }) => !isFollowUp);
    this.#queue = this.#queue.filter(({ isFollowUp }) => isFollowUp);
    for (const { input, onBegun } of sent) onBegun?.(this.#steer(active, input));
  }

  /** Takes over a turn whose runs `start` puts there; resolves then. When it rejects, there was no such turn. */
  adopt(turn: Turn, start: () => Promise<void>): Promise<void> {
    const started = this.#start(turn, start);
    let isStarted = false;
    const ended = this.#enter(
      turn,
      started.then(() => void (isStarted = true)),
    );
    ended.catch(error => isStarted && this.#options.onError(error));
    return started;
  }

  /** Stops the turn, also one that is only starting; what waits is sent then. */
  abort(): void {
    if (this.#active === undefined) return;
    const { handles } = this.#active.turn;
    this.#active.isStopped = true;
    this.#active.stopsAtStart = handles.length === 0;
    for (const handle of handles) void this.#options.stop(handle).catch(this.#options.onError);
  }

  /** Stops the turn and waits for its end; one that is only starting is left alone. */
  async stop(): Promise<void> {
    const active = this.#active;
    if (active === undefined || active.turn.handles.length === 0) return;
    this.abort();
    await active.ended.catch(() => {});
  }

  /** Resolves when the turn that is under way is over. */
  async ended(): Promise<void> {
    await this.#active?.ended.catch(() => {});
  }

  /** The thread of the turn that is under way is left. */
  detach(): void {
    if (this.#active !== undefined) this.#active.isDetached = true;
  }

  /** The end of what runs is told: what is said from now on is for the next turn. One that only starts has not begun. */
  markOver(): void {
    if (this.#active !== undefined && this.#active.turn.handles.length > 0) this.#active.isOver = true;
  }

  /** Forgets what waits and was said before; returns what was to be sent. */
  dropQueued(before: number): readonly UserInput[] {
    const isDropped = ({ input: { order = 0 } }: QueuedInput) => order < before;
    const dropped = this.#queue.filter(isDropped);
    this.#queue = this.#queue.filter(queued => !isDropped(queued));
    for (const { onBegun } of dropped) onBegun?.({ runId: async () => '', done: Promise.resolve() });
    return dropped.flatMap(({ isFollowUp, input }) => (isFollowUp ? [] : [input]));
  }

  #steer({ turn, started }: ActiveTurn, input: UserInput): PendingSend {
    const { requestContext } = input;
    turn.steering.push(steeringMessage(input));
    if (requestContext !== undefined && turn.handles.length === 0) turn.extraContexts.push(requestContext);
    return { runId: () => started.then(() => runOf(turn)), done: started };
  }

  #enqueue(input: UserInput): PendingSend {
    const sent = new Promise<PendingSend>(onBegun => this.#queue.push({ input, isFollowUp: false, onBegun }));
    return { runId: () => sent.then(({ runId }) => runId()), done: sent.then(({ done }) => done) };
  }

  #begin(input: UserInput): PendingSend {
    const turn = newTurn(input.trace, input.order);
    const started = this.#start(turn, () => this.#options.start(turn, input));
    return { runId: () => started.then(() => runOf(turn)), done: this.#enter(turn, started) };
  }

  async #start(turn: Turn, start: () => Promise<void>): Promise<void> {
    await start();
    if (this.#active?.turn === turn && this.#active.stopsAtStart) this.abort();
  }

  #enter(turn: Turn, started: Promise<void>): Promise<void> {
    const ended = started.then(() => this.#run(turn)).finally(() => this.#next(turn));
    this.#active = { turn, started, ended, isStopped: false, stopsAtStart: false, isOver: false, isDetached: false };
    return ended;
  }

  async #run(turn: Turn): Promise<void> {
    const outcomes = await Promise.all(turn.handles.map(({ done }) => done));
    this.markOver();
    const isComplete = outcomes.length > 0 && outcomes.every(outcome => successfulOutcomes.has(outcome));
    const isLeft = this.#active?.turn === turn && this.#active.isDetached;
    const isAnswered = isComplete && !isLeft && turn.steering.some(({ isQuiet }) => !isQuiet);
    if (isAnswered) this.#queue.unshift({ input: joinSteering(turn.steering.splice(0)), isFollowUp: false });
    await this.#options.settle(turn, turn.steering.splice(0));
    await turn.atEnd?.();
  }

  /** The next turn begins at once, so that there is no moment of rest between. */
  #next(turn: Turn): void {
    if (this.#active?.turn !== turn) return;
    this.#active = undefined;
    const next = this.#queue.shift();
    if (next === undefined) return;
    const sent = this.#begin(next.input);
    if (next.onBegun === undefined) void sent.done.catch(this.#options.onError);
    else next.onBegun(sent);
  }
}

/** A run that used all its steps has answered, too. */
const successfulOutcomes: ReadonlySet<RunOutcome> = new Set(['complete', 'max_iterations']);

export function newTurn(trace?: Partial<RunTrace>, order = 0): Turn {
  return { steering: [], order, handles: [], extraContexts: [], trace, endsAtStep: false };
}

/** What is said to a run that is under way. */
export function steeringMessage({
  content,
  id = newId(),
  isQuiet = false,
  requestContext,
  order,
}: UserInput): SteeringMessage {
  return { id, content, isQuiet, requestContext, ...(order !== undefined && { order }) };
}

/** What was said too late, as one thing to answer. */
function joinSteering(late: readonly SteeringMessage[]): UserInput {
  const contexts = late.flatMap(({ requestContext }) => requestContext ?? []);
  const [first, ...others] = late;
  return {
    content: late.flatMap(({ content }) => partsOf(content)),
    ...(first !== undefined && others.length === 0 && { id: first.id }),
    ...(contexts.length > 0 && { requestContext: new RequestContext(contexts.flatMap(context => [...context])) }),
    order: first?.order ?? 0,
  };
}

function runOf({ handles }: Turn): string {
  return handles[0]?.runId ?? '';
}

function partsOf(content: string | readonly ContentPart[]): readonly ContentPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
