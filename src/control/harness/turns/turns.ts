import type { UserMessage } from '../../../agents/agent.ts';
import { type ContentPart, newId } from '../../../events/index.ts';
import type { RunHandle, RunOutcome } from '../../supervision/run-control.ts';
import { RequestContext } from '../tools/request-context.ts';
import type { RunTrace } from './tracing.ts';

/** A message of a person. */
export interface UserInput {
  readonly content: string | readonly ContentPart[];
  readonly requestContext?: RequestContext | undefined;
  /** The requested trace of its run. */
  readonly trace?: Partial<RunTrace> | undefined;
  /** Its message id; a new one by default. */
  readonly id?: string;
  /** Whether no answer is needed: it starts no turn when the active one is over. */
  readonly isQuiet?: boolean;
  /** The order number of its call; 0 by default. */
  readonly order?: number;
}

interface SteeringMessage extends UserMessage, Pick<UserInput, 'requestContext' | 'order'> {
  readonly isQuiet: boolean;
}

/** Input that waits for its turn. */
interface QueuedInput {
  readonly input: UserInput;
  /** Follow-ups are dropped with their thread; all other input is stored there. */
  readonly isFollowUp: boolean;
  /** Called when its turn begins; absent when no caller waits. */
  readonly onBegun?: (sent: PendingSend) => void;
}

/** A message that is being sent. */
export interface PendingSend {
  /** Resolves with the run that receives it; empty when none does. */
  readonly runId: () => Promise<string>;
  /** Resolves when its turn is over; for an injected message when that turn has started. */
  readonly done: Promise<void>;
}

/** One answer of the agent, from its request to the end of its events. */
export interface Turn {
  /** Messages during the turn that the run has not read. */
  readonly steering: SteeringMessage[];
  /** The order number of the message it answers. */
  readonly order: number;
  /** Its runs; empty while it starts. */
  handles: readonly RunHandle[];
  /** Request contexts of injected messages. */
  readonly extraContexts: RequestContext[];
  /** The requested trace of its run. */
  trace: Partial<RunTrace> | undefined;
  /** Whether its run ends before its next step. */
  endsAtStep: boolean;
  /** Runs when it is over, before the next input is sent. */
  atEnd?: () => Promise<void>;
}

export interface TurnsOptions {
  /** Starts the run of a turn, and sets its handle as soon as it can be aborted. */
  readonly start: (turn: Turn, input: UserInput) => Promise<void>;
  readonly stop: (handle: RunHandle) => Promise<void>;
  /** Called when the runs of a turn have ended, before callers are notified; `unread` gets no answer. */
  readonly settle: (turn: Turn, unread: readonly UserMessage[]) => Promise<void>;
  /** Whether a command is queued that may switch the thread or the mode: later input is for the thread it leads to. */
  readonly isSwitching: () => boolean;
  readonly onQueued: (count: number) => void;
  /** Receives the error of a message that no caller awaits. */
  readonly onError: (error: unknown) => void;
}

interface ActiveTurn {
  readonly turn: Turn;
  readonly started: Promise<void>;
  /** Resolves when all events of the turn were emitted; rejects when it could not start. */
  readonly ended: Promise<void>;
  isStopped: boolean;
  /** Whether it was aborted before it had a run: the run is aborted as soon as it starts. */
  stopsAtStart: boolean;
  /** Whether its runs have ended: it accepts no input. */
  isOver: boolean;
  /** Whether its thread was closed: it accepts no input, and unread input is stored in that thread. */
  isDetached: boolean;
}

/** Runs one turn at a time; input during a turn is injected, or queued for the next turn. */
export class Turns {
  readonly #options: TurnsOptions;
  #active: ActiveTurn | undefined;
  #queue: QueuedInput[] = [];

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** The active turn. */
  get current(): Turn | undefined {
    return this.#active?.turn;
  }

  /** Whether new input is injected into the active turn. */
  get acceptsInput(): boolean {
    if (this.#active === undefined || this.#options.isSwitching()) return false;
    const { isOver, isStopped, isDetached } = this.#active;
    return !isOver && !isStopped && !isDetached;
  }

  /** Whether the active turn has no run yet. */
  get isStarting(): boolean {
    return this.#active !== undefined && this.#active.turn.handles.length === 0;
  }

  get followUpCount(): number {
    return this.#queue.filter(({ isFollowUp }) => isFollowUp).length;
  }

  /** Starts a turn, injects the input into the active one, or queues it when that accepts none. */
  send(input: UserInput): PendingSend {
    if (this.#active === undefined) return this.#begin(input);
    if (this.acceptsInput) return this.#steer(this.#active, input);
    return this.#enqueue(input);
  }

  /** Sends when no turn is active; else after it and all earlier follow-ups. */
  async followUp(input: UserInput): Promise<void> {
    if (this.#active === undefined) return this.#begin(input).done;
    this.#queue.push({ input, isFollowUp: true });
    this.#options.onQueued(this.followUpCount);
  }

  /** Injects queued messages into the active turn, if it accepts input again. */
  deliverQueued(): void {
    if (this.#active === undefined || !this.acceptsInput) return;
    const active = this.#active;
    const sent = this.#queue.filter(({ isFollowUp }) => !isFollowUp);
    this.#queue = this.#queue.filter(({ isFollowUp }) => isFollowUp);
    for (const { input, onBegun } of sent) onBegun?.(this.#steer(active, input));
  }

  /**
   * Takes over a turn whose runs `start` sets; resolves when they are set. When `start` rejects, the turn never
   * existed.
   */
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

  /** Aborts the active turn, even while it starts; queued input is sent then. */
  abort(): void {
    if (this.#active === undefined) return;
    const { handles } = this.#active.turn;
    this.#active.isStopped = true;
    this.#active.stopsAtStart = handles.length === 0;
    for (const handle of handles) void this.#options.stop(handle).catch(this.#options.onError);
  }

  /** Aborts the active turn and waits for its end; a starting turn is not affected. */
  async stop(): Promise<void> {
    const active = this.#active;
    if (active === undefined || active.turn.handles.length === 0) return;
    this.abort();
    await active.ended.catch(() => {});
  }

  /** Resolves when the active turn is over. */
  async ended(): Promise<void> {
    await this.#active?.ended.catch(() => {});
  }

  /** Detaches the active turn from its thread, which is being closed. */
  detach(): void {
    if (this.#active !== undefined) this.#active.isDetached = true;
  }

  /** Marks the active turn as over: later input is for the next turn. A starting turn is not affected. */
  markOver(): void {
    if (this.#active !== undefined && this.#active.turn.handles.length > 0) this.#active.isOver = true;
  }

  /** Drops queued input of earlier calls; returns the messages among it. */
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

  /** Starts the next turn synchronously, so that the harness is not idle in between. */
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

/** A run that used all its steps has answered. */
const successfulOutcomes: ReadonlySet<RunOutcome> = new Set(['complete', 'max_iterations']);

export function newTurn(trace?: Partial<RunTrace>, order = 0): Turn {
  return { steering: [], order, handles: [], extraContexts: [], trace, endsAtStep: false };
}

/** Converts input to a message for the active run. */
export function steeringMessage({
  content,
  id = newId(),
  isQuiet = false,
  requestContext,
  order,
}: UserInput): SteeringMessage {
  return { id, content, isQuiet, requestContext, ...(order !== undefined && { order }) };
}

/** Joins unread messages into one input. */
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
