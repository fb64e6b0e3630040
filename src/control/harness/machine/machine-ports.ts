import type { UserMessage } from '../../../agents/contract/host.ts';
import type { WaitingMessage } from '../../../projections/message-queue.ts';
import type { UserInput } from '../turns/user-input.ts';
import type { LiveTurn } from './live-turn.ts';
import type { Queued } from './state.ts';

/** What the effects of the machine need from the harness. */
export interface MachinePorts {
  /** Resolves when calls may take effect. */
  init(): Promise<void>;
  /** Starts or resumes the runs of a turn; does nothing when its messages are to be stored instead. */
  startTurn(
    turn: LiveTurn,
    input: UserInput,
    isCancelled: () => boolean,
  ): Promise<'new' | 'resumed' | 'cancelled' | 'handed_over'>;
  /** Aborts the runs of a turn. */
  stopTurn(turn: LiveTurn): void;
  /** Stores the messages that the thread of a turn does not contain, and emits all its events. */
  settleTurn(turn: LiveTurn, store: readonly UserInput[], endsPlanning: boolean): Promise<void>;
  /** Stores messages in the thread that is open at the call, or in a new one if `creates`; returns false without one. */
  store(inputs: readonly UserInput[], creates: boolean): Promise<boolean>;
  /** Stores a message as waiting in the thread that is open at the call: for its run, or for the turn after it. */
  enqueue(input: UserMessage, kind: Queued['kind'], hasContext: boolean): Promise<void>;
  /**
   * What waits in the log of the turn's thread, or of the open one, and an agent of this harness can answer, in the order
   * of its delivery; undefined when that thread is not open any more. `syncs` reads the newest events first.
   */
  waiting(turn: LiveTurn | undefined, syncs: boolean): Promise<WaitingInThread | undefined>;
  /** Whether the owner of an open run of the open thread was a process of this machine that has ended. */
  hasEndedOwner(): Promise<boolean>;
  /** Resumes the orphaned runs of the open thread. */
  resumeOrphans(): Promise<void>;
  /** Releases the lock of a closed thread. */
  release(): Promise<void>;
  /** Closes the open thread at once. */
  closeThread(): void;
  /** Called when a message is injected into a turn. */
  onInjected(turn: LiveTurn, input: UserInput): void;
  /** Called when a follow-up is queued. */
  onQueued(): void;
  /** Called when open runs of another process are watched. */
  onWatch(): void;
  /** Receives the error of a message that no caller awaits. */
  onError(error: unknown): void;
}

export interface WaitingInThread {
  readonly messages: readonly WaitingMessage[];
  /** Whether a person edits the queue: none of them is sent meanwhile. */
  readonly isHeld: boolean;
}
