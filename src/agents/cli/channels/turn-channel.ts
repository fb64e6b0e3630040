import type {
  ChannelHost,
  LiveAnswer,
  LiveChannel,
  LiveStart,
  LiveTurn,
  LiveTurnEnd,
  SessionInfo,
  SessionProblem,
  SteerMessage,
} from '../contract/live-channel.ts';
import { parseJson } from '../../../base/parse-json.ts';
import type { ChannelEvents } from '../shared/channel-events.ts';

/** The state of a turn; its events are those of the messages that are handled in it. */
interface ChannelTurn {
  readonly events: ChannelEvents;
}

/** A message that belongs to a turn and arrived when none was open. */
interface EarlyMessage {
  readonly message: unknown;
  readonly number: number;
  /** Whether the program has been refused: the next turn shows the message as unknown. */
  readonly isRefused: boolean;
}

/** The most messages that wait for a turn; the oldest are dropped. */
const mostEarly = 1_000;

/**
 * The life cycle of an interactive channel, independent of its protocol.
 *
 *     new ──open──▶ opening ──setReady──▶ ready ──prompt──▶ in a turn ──endTurn──▶ ready
 *                      │                                        │
 *                      └───────────────── fail ─────────────────┴──────▶ failed
 *     any state ──closed──▶ closed: a turn that is open ends, and a session that is not open has failed
 *
 * Each turn ends once, and nothing is done for it after. A message that needs a turn waits for the next one, in order.
 * Nothing is sent or emitted once the channel has failed or is closed.
 */
export abstract class TurnChannel<Turn extends ChannelTurn> implements LiveChannel {
  /** The host; it gets the events of the open turn before a request, a withdrawal or a note that is about them. */
  protected readonly host: ChannelHost;
  protected readonly start: LiveStart;
  #state: 'new' | 'opening' | 'ready' | 'failed' | 'closed' = 'new';
  #turn: Turn | undefined;
  #isInterrupted = false;
  #early: EarlyMessage[] = [];

  constructor(host: ChannelHost, start: LiveStart) {
    this.host = orderedHost(host, () => this.#turn?.events.flush());
    this.start = start;
  }

  /** Sends the handshake; the protocol calls `setReady` or `fail` later. */
  protected abstract connect(): void;
  /**
   * Handles one message while no turn is open. Returns whether it did: a message that belongs to a turn is received
   * again in the next. `refused` when it was answered because the program would wait: the next turn shows it as
   * unknown.
   */
  protected abstract takeBetweenTurns(message: unknown): boolean | 'refused';
  /** Handles one message in a turn; it becomes an `unknown` event when this returns false or throws. */
  protected abstract takeInTurn(turn: Turn, message: unknown): boolean;
  /** Creates the state of a turn. */
  protected abstract createTurn(turn: LiveTurn): Turn;
  /** Sends the prompt of a turn. What this and the next three emit belongs to the open turn. */
  protected abstract sendPrompt(turn: Turn, prompt: LiveTurn): void;
  protected abstract takeAnswer(requestId: string, answer: LiveAnswer): void;
  protected abstract sendMessage(turn: Turn, message: SteerMessage): void;
  /** Stops the open turn; called once for each. */
  protected abstract stopTurn(turn: Turn): void;
  /** Closes the requests of a turn, emits its remaining events and returns how it ended. */
  protected abstract finishTurn(turn: Turn, reason: LiveTurnEnd['reason']): LiveTurnEnd;
  /** Returns why the session did not open, for a program that has ended. */
  protected abstract describeUnopened(): SessionProblem;

  /** Whether a prompt can be sent now: when the session is open, unless the program reads one before. */
  protected get takesPrompts(): boolean {
    return this.#state === 'ready';
  }

  /** The open turn. */
  protected get turn(): Turn | undefined {
    return this.#turn;
  }

  /** Whether the user or the channel itself has stopped the open turn. */
  protected get isInterrupted(): boolean {
    return this.#isInterrupted;
  }

  /** Whether the channel can no longer be used. */
  protected get isOver(): boolean {
    return this.#state === 'failed' || this.#state === 'closed';
  }

  /** Whether the program has ended. */
  protected get isClosed(): boolean {
    return this.#state === 'closed';
  }

  protected get isOpening(): boolean {
    return this.#state === 'opening';
  }

  open(): void {
    if (this.#state !== 'new') return;
    this.#state = 'opening';
    this.connect();
  }

  receive(line: string, number: number): void {
    if (this.isOver || line.trim() === '') return;
    this.#deliver({ message: parseJson(line, line), number, isRefused: false });
  }

  prompt(prompt: LiveTurn): void {
    if (!this.takesPrompts || this.isOver || this.#turn !== undefined) return;
    this.#isInterrupted = false;
    const turn = this.createTurn(prompt);
    this.#turn = turn;
    turn.events.within(undefined, () => this.sendPrompt(turn, prompt));
    for (const early of this.#early.splice(0)) this.#deliver(early);
  }

  answer(requestId: string, answer: LiveAnswer): void {
    if (this.isOver) return;
    if (this.#turn === undefined) this.takeAnswer(requestId, answer);
    else this.#turn.events.within(undefined, () => this.takeAnswer(requestId, answer));
  }

  steer(message: SteerMessage): void {
    const turn = this.#turn;
    if (!this.isOver) turn?.events.within(undefined, () => this.sendMessage(turn, message));
  }

  interrupt(): void {
    const turn = this.#turn;
    if (this.isOver || turn === undefined || this.#isInterrupted) return;
    this.#isInterrupted = true;
    turn.events.within(undefined, () => this.stopTurn(turn));
  }

  closed(): void {
    if (this.#state === 'closed') return;
    const wasOpening = this.#state === 'new' || this.#state === 'opening';
    this.#state = 'closed';
    if (wasOpening) this.host.failed(this.describeUnopened());
    if (this.#turn !== undefined) this.endTurn(this.#turn, this.#isInterrupted ? 'aborted' : 'error');
  }

  /** The session is open, and the program asks before it acts. */
  protected setReady(session: SessionInfo): void {
    if (this.#state !== 'opening') return;
    this.#state = 'ready';
    this.host.ready(session);
  }

  /** Handles a session that cannot be opened or is no longer usable: the open turn fails too. */
  protected fail(problem: SessionProblem): void {
    if (this.isOver) return;
    this.#state = 'failed';
    const turn = this.#turn;
    this.#turn = undefined;
    const end = turn && this.finishTurn(turn, 'error');
    this.host.failed(problem);
    if (end !== undefined) this.host.turnEnded({ ...end, reason: 'error' });
  }

  /** Ends a turn; does nothing when it is not the open one. */
  protected endTurn(turn: Turn, reason: LiveTurnEnd['reason']): void {
    if (this.#turn !== turn) return;
    this.#turn = undefined;
    this.host.turnEnded(this.finishTurn(turn, reason));
  }

  #deliver(early: EarlyMessage): void {
    const { message, number, isRefused } = early;
    const turn = this.#turn;
    if (turn !== undefined) {
      turn.events.receive(number, message, () => !isRefused && this.takeInTurn(turn, message));
      return;
    }
    const taken = isRefused ? 'refused' : this.takeBetweenTurns(message);
    if (taken === true) return;
    this.#early.push({ ...early, isRefused: taken === 'refused' });
    if (this.#early.length > mostEarly) this.#early.shift();
  }
}

function orderedHost(host: ChannelHost, flush: () => void): ChannelHost {
  return {
    send: message => host.send(message),
    ready: session => host.ready(session),
    failed: problem => host.failed(problem),
    emit: events => host.emit(events),
    turnEnded: end => host.turnEnded(end),
    waiting: (reason, ms) => host.waiting?.(reason, ms),
    after: (ms, callback) => host.after(ms, callback),
    request: request => {
      flush();
      host.request(request);
    },
    withdraw: (requestId, reason) => {
      flush();
      host.withdraw(requestId, reason);
    },
    steered: (messageId, delivery) => {
      flush();
      host.steered(messageId, delivery);
    },
  };
}
