/**
 * The state machine of a harness. It decides what happens to each message and command, in the order of the calls.
 *
 * A call waits in `queue` until all earlier commands have ended. Then a command runs, and a message belongs to the thread
 * that is open now: it is injected into the active turn, waits behind it, or starts the next one.
 *
 * ```
 *        message            started               ended               settled
 *  idle ─────────▶ starting ───────▶ running ───────────────▶ ending ─────────▶ idle, or the next of `waiting` starts
 *                     │   │             │ abort, leave, stop     ▲
 *                     │   │ abort       ▼                        │
 *                     │   └───started─▶ stopping ───────ended────┤
 *                     ├── cancelled (its resource was changed) ──┘
 *                     └── failed ─▶ idle, or the next of `waiting` starts
 * ```
 *
 * - One turn is active at a time, and one command runs at a time; a turn starts while no command runs, and a command
 *   begins while no turn starts. A command may run during a turn.
 * - `starting` and `running` accept input, unless the turn is being aborted or its thread is being closed.
 * - Contents, promises and runs belong to the shell: the machine knows messages and commands by number.
 */
export interface MachineState {
  readonly turn: Turn | undefined;
  /** Input for the open thread that waits for the end of the turn. */
  readonly waiting: readonly Entry[];
  /** Calls that wait for the end of earlier commands. */
  readonly queue: readonly Call[];
  /** The command that runs. */
  readonly command: Command | undefined;
  /** Whether the open thread has open runs, in any process. */
  readonly hasOpenRuns: boolean;
  /**
   * Whether a person was editing the queue of the open thread when it was last read; its messages are not sent then.
   */
  readonly isQueueHeld: boolean;
  /** How often the resource was chosen, and how many of these choices are in effect. */
  readonly choices: { readonly made: number; readonly reached: number };
  readonly isDestroyed: boolean;
}

/** One answer of the agent, from its request to the end of its events. */
export interface Turn {
  readonly phase: 'starting' | 'running' | 'stopping' | 'ending';
  /** The messages it answers; none for orphaned runs that are resumed. */
  readonly inputs: readonly number[];
  /** Whether the callers of these messages wait for the answer. */
  readonly isAwaited: boolean;
  /** Injected messages; a run has read some of them. */
  readonly injected: readonly Injected[];
  /** Whether it is aborted as soon as it has started. */
  readonly stopsAtStart: boolean;
  /** Whether its thread is being closed: unread messages are stored there, without an answer. */
  readonly isDetached: boolean;
  /** Whether it ends before its next step, because its plan was approved. */
  readonly endsAtStep: boolean;
  /** Whether it waits for nothing but the data of suspended calls: its callers were answered. */
  readonly isSuspended: boolean;
}

interface Injected {
  readonly id: number;
  /** A reminder starts no turn. */
  readonly isReminder: boolean;
  /** Whether a run has read it. It is in the log when that run completes; else it may be. */
  readonly isRead: boolean;
  /** Whether its caller was answered before the turn started. */
  readonly isAccepted?: boolean;
}

/** Input that has not been delivered: one message, or several that a run did not read. */
export interface Entry {
  readonly ids: readonly number[];
  readonly kind: 'message' | 'follow_up' | 'reminder';
  /** Whether its callers wait: they were not answered yet. */
  readonly isAwaited: boolean;
  /** Whether its turn is aborted as soon as it has started. */
  readonly isAborted: boolean;
}

/** A message that waits in the log. */
export interface Queued {
  readonly id: number;
  readonly kind: 'message' | 'follow_up';
}

/** The messages of the log that can be sent now, in order; empty while a person edits the queue. */
export interface ReadQueue {
  readonly messages: readonly Queued[];
  readonly isHeld: boolean;
}

/** Exclusive work. `call` and `resource` are calls of the application, the others are internal. */
export type Command =
  | { readonly kind: 'call' | 'resource'; readonly id: number }
  | { readonly kind: 'store'; readonly ids: readonly number[] }
  | { readonly kind: 'resume' | 'release' };

export type Call = { readonly entry: Entry } | { readonly command: Command };

/** An input of the machine: a call of the application or an event of the shell. */
export type Input =
  | { readonly type: 'send'; readonly id: number; readonly kind: Entry['kind'] }
  | { readonly type: 'command'; readonly command: Command }
  | { readonly type: 'command_ended' }
  /** Another resource was chosen. */
  | { readonly type: 'choose'; readonly id: number }
  | { readonly type: 'abort' }
  /** The running command stops the turn, or closes the thread. */
  | { readonly type: 'stop' | 'leave' }
  /** The messages of the turn are stored instead; orphaned runs were resumed. */
  | { readonly type: 'cancelled' | 'adopted' }
  /** The turn has runs; resumed ones receive its messages as injected ones. */
  | { readonly type: 'started'; readonly isResumed: boolean }
  | { readonly type: 'failed'; readonly error: unknown }
  /** A run reads these injected messages. */
  | { readonly type: 'read'; readonly ids: readonly number[] }
  /** A plan was approved: the turn ends before its next step; or that could not be stored. */
  | { readonly type: 'plan_approved' | 'plan_undecided' }
  /** The log shows that the thread has open runs, or none. */
  | { readonly type: 'runs'; readonly isOpen: boolean }
  /** The runs of the turn wait for the data of suspended calls; `runs` reports that they work again. */
  | { readonly type: 'suspended' }
  /** A caller passed the data of a suspended call and awaits the turn like the sender of a message. */
  | { readonly type: 'responded'; readonly id: number }
  /** The runs of the turn have ended. */
  | { readonly type: 'ended'; readonly isComplete: boolean }
  /** All events of the turn were emitted; `queue` is the queue of its thread, if that thread is still open. */
  | { readonly type: 'settled'; readonly queue?: ReadQueue; readonly error?: unknown }
  /** Delivers the waiting messages of the open thread when no turn is active. */
  | { readonly type: 'deliver'; readonly queue: ReadQueue }
  /** The run of the thread belongs to another process, or another process answers the messages: they are in the log. */
  | { readonly type: 'handed_over' }
  /** The open thread was deleted elsewhere. */
  | { readonly type: 'lost'; readonly error: unknown }
  /** The time to look for runs whose owner is gone. */
  | { readonly type: 'check' }
  /** Calls are refused with the error; the command with the number releases everything. */
  | { readonly type: 'destroy'; readonly id: number; readonly error: unknown };

/** An action for the shell to perform. */
export type Effect =
  | { readonly type: 'perform'; readonly command: Command }
  | { readonly type: 'refuse'; readonly command: Command; readonly error: unknown }
  /** Starts a turn; answers with `started`, `failed` or `cancelled`. */
  | { readonly type: 'start'; readonly ids: readonly number[]; readonly kind: Queued['kind'] }
  | { readonly type: 'inject'; readonly id: number }
  /** Stores messages as waiting in the thread: into its run, or after it. Runs and callers get them when they are stored. */
  | { readonly type: 'enqueue'; readonly ids: readonly number[]; readonly kind: Queued['kind'] }
  /** Aborts the runs of the turn. */
  | { readonly type: 'stop' }
  /** Stores the messages that the thread of the turn does not contain, and emits its events; answers with `settled`. */
  | { readonly type: 'settle'; readonly store: readonly number[]; readonly endsPlanning: boolean }
  /** Stores messages in the open thread, without an answer. */
  | { readonly type: 'store'; readonly ids: readonly number[] }
  /** Callers: the run of the turn receives the messages; nothing more will happen to them; they are refused. */
  | { readonly type: 'accept' | 'finish'; readonly ids: readonly number[] }
  | { readonly type: 'fail'; readonly ids: readonly number[]; readonly isAwaited: boolean; readonly error: unknown }
  /** Emits the number of follow-ups. */
  | { readonly type: 'count' }
  /** Closes the open thread at once; its lock is released by the command `release`. */
  | { readonly type: 'close' };

/** The state of a new harness. */
export const initialState: MachineState = {
  turn: undefined,
  waiting: [],
  queue: [],
  command: undefined,
  hasOpenRuns: false,
  isQueueHeld: false,
  choices: { made: 0, reached: 0 },
  isDestroyed: false,
};

/** Whether a turn is active, or a message waits for one; a suspended turn waits for a person. */
export function isBusy({ turn, waiting, queue }: MachineState): boolean {
  if (turn?.isSuspended === true) return false;
  return turn !== undefined || waiting.length > 0 || queue.some(call => 'entry' in call);
}

/** Whether to check again later: the owner of open runs may have ended, or the queue may be released. */
export function isWatching({ turn, queue, command, hasOpenRuns, isQueueHeld, isDestroyed }: MachineState): boolean {
  const isChecked =
    command?.kind === 'resume' || queue.some(call => 'command' in call && call.command.kind === 'resume');
  return (hasOpenRuns || isQueueHeld) && turn === undefined && !isChecked && !isDestroyed;
}

/** The follow-ups that wait for their turn. */
export function followUps({ waiting, queue }: MachineState): readonly number[] {
  const entries = [...waiting, ...queue.flatMap(call => ('entry' in call ? call.entry : []))];
  return entries.flatMap(({ kind, ids }) => (kind === 'follow_up' ? ids : []));
}

/** Whether a message may still be delivered. */
export function isNeeded({ turn, waiting, queue }: MachineState, id: number): boolean {
  const isIn = ({ ids }: Entry) => ids.includes(id);
  if (turn?.inputs.includes(id) === true || turn?.injected.some(injected => injected.id === id) === true) return true;
  return waiting.some(isIn) || queue.some(call => 'entry' in call && isIn(call.entry));
}
