import {
  type Call,
  type Command,
  type Effect,
  type Entry,
  type Input,
  isBusy,
  type MachineState,
  type Queued,
  type ReadQueue,
  type Turn,
} from './state.ts';
import type { Mutable } from '../../../base/mutable.ts';

/** The next state, and the effects for the shell to perform. */
export interface Decision {
  readonly state: MachineState;
  readonly effects: readonly Effect[];
}

/** Returns the next state and the effects of an input. Pure. */
export function decide(state: MachineState, input: Input): Decision {
  if (state.isDestroyed && isCall(input)) return { state, effects: [] };
  const step: Step = { state: { ...state }, effects: [] };
  (on[input.type] as (step: Step, input: Input) => void)(step, input);
  advance(step);
  return step;
}

/** A destroyed harness decides about no call: the shell rejects it. */
function isCall({ type }: Input): boolean {
  return ['send', 'command', 'choose', 'abort', 'lost', 'check', 'destroy'].includes(type);
}

interface Step {
  readonly state: Mutable<MachineState>;
  readonly effects: Effect[];
}
type Handlers = {
  readonly [Type in Input['type']]: (step: Step, input: Extract<Input, { type: Type }>) => void;
};

const on: Handlers = {
  send: ({ state, effects }, { id, kind }) => {
    const isQueued = kind === 'follow_up' && (isBusy(state) || state.turn !== undefined);
    state.queue = [...state.queue, { entry: { ids: [id], kind, isAwaited: true, isAborted: false } }];
    if (isQueued) effects.push({ type: 'count' });
  },
  command: ({ state }, { command }) => enqueue(state, command),
  command_ended: ({ state }) => {
    if (state.command?.kind === 'resource') reach(state, state.choices.reached + 1);
    state.command = undefined;
  },
  choose: (step, { id }) => {
    const { state } = step;
    const { turn, queue, command } = state;
    state.choices = { ...state.choices, made: state.choices.made + 1 };
    if (command === undefined && queue.length === 0 && turn?.phase !== 'starting') {
      leave(step);
      close(step);
      return reach(state, state.choices.made);
    }
    if (turn?.phase === 'starting') change(state, { isDetached: true });
    enqueue(state, { kind: 'resource', id });
  },
  abort: step => {
    const { state } = step;
    if (state.turn?.phase === 'starting') return change(state, { stopsAtStart: true });
    if (state.turn !== undefined) return stop(step);
    const [first, ...later] = state.waiting;
    if (first !== undefined) state.waiting = [{ ...first, isAborted: true }, ...later];
    else state.queue = abortFirst(state.queue);
  },
  stop,
  leave,
  started: ({ state, effects }, { isResumed }) => {
    const { turn } = state;
    if (turn?.phase !== 'starting') return;
    const injected = turn.injected.map(({ id }) => id);
    const own = isResumed ? turn.inputs.map(id => ({ id, isReminder: false, isRead: false })) : [];
    const entering = [...own, ...turn.injected].filter(({ isReminder }) => !isReminder).map(({ id }) => id);
    if (entering.length > 0) effects.push({ type: 'enqueue', ids: entering, kind: 'message' });
    effects.push({ type: 'accept', ids: [...turn.inputs, ...injected] }, { type: 'finish', ids: injected });
    change(state, { phase: turn.stopsAtStart ? 'stopping' : 'running', injected: [...own, ...turn.injected] });
    if (turn.stopsAtStart) effects.push({ type: 'stop' });
    for (const { kind, ids } of state.waiting)
      if (kind === 'follow_up') effects.push({ type: 'enqueue', ids, kind }, { type: 'finish', ids });
    state.waiting = state.waiting.map(entry => (entry.kind === 'follow_up' ? { ...entry, isAwaited: false } : entry));
  },
  cancelled: ({ state, effects }) => {
    const { turn } = state;
    if (turn?.phase !== 'starting') return;
    const inputs = [...turn.inputs, ...turn.injected.map(({ id }) => id)];
    change(state, { phase: 'ending', inputs, injected: [] });
    effects.push({ type: 'settle', store: inputs, endsPlanning: false });
  },
  adopted: ({ state }) => {
    if (state.turn !== undefined) return;
    state.turn = { ...newTurn([], false), phase: 'running', isDetached: state.isDestroyed };
  },
  failed: ({ state, effects }, { error }) => {
    const { turn } = state;
    if (turn?.phase !== 'starting') return;
    state.turn = undefined;
    effects.push({ type: 'fail', ids: turn.inputs, isAwaited: turn.isAwaited, error });
    const accepted = turn.injected.flatMap(({ id, isAccepted }) => (isAccepted === true ? id : []));
    const others = turn.injected.flatMap(({ id, isAccepted }) => (isAccepted === true ? [] : id));
    effects.push({ type: 'fail', ids: others, isAwaited: true, error });
    if (accepted.length > 0)
      state.waiting = [{ ids: accepted, kind: 'message', isAwaited: false, isAborted: false }, ...state.waiting];
  },
  read: ({ state }, { ids }) =>
    change(state, {
      injected: state.turn?.injected.map(each => (ids.includes(each.id) ? { ...each, isRead: true } : each)) ?? [],
    }),
  plan_approved: ({ state }) => change(state, { endsAtStep: true }),
  plan_undecided: ({ state }) => change(state, { endsAtStep: false }),
  runs: ({ state }, { isOpen }) => {
    state.hasOpenRuns = isOpen;
    change(state, { isSuspended: false });
    if (!isOpen && state.turn?.phase === 'running') change(state, { phase: 'ending' });
  },
  suspended: ({ state, effects }) => {
    const { turn } = state;
    if (turn?.phase !== 'running') return;
    change(state, { isSuspended: true, isAwaited: false, inputs: [] });
    effects.push({ type: 'finish', ids: turn.inputs });
  },
  responded: ({ state, effects }, { id }) => {
    const { turn } = state;
    if (turn === undefined || turn.phase === 'starting') effects.push({ type: 'finish', ids: [id] });
    else change(state, { inputs: [...turn.inputs, id], isAwaited: true });
  },
  ended: ({ state, effects }, { isComplete }) => {
    const { turn } = state;
    if (turn === undefined || turn.phase === 'starting') return;
    const unread = turn.injected.filter(({ isRead }) => !isComplete || !isRead);
    const ids = unread.map(({ id }) => id);
    const isAnswered = isComplete && !turn.isDetached && unread.some(({ isReminder }) => !isReminder);
    change(state, { phase: 'ending', injected: [], isSuspended: false });
    if (isAnswered) state.waiting = [{ ids, kind: 'message', isAwaited: false, isAborted: false }, ...state.waiting];
    effects.push({ type: 'settle', store: isAnswered ? [] : ids, endsPlanning: turn.endsAtStep });
  },
  settled: ({ state, effects }, { queue, error }) => {
    const { turn } = state;
    if (turn?.phase !== 'ending') return;
    state.turn = undefined;
    if (queue !== undefined && !turn.isDetached) take(state, queue);
    const { inputs: ids, isAwaited } = turn;
    effects.push(error === undefined ? { type: 'finish', ids } : { type: 'fail', ids, isAwaited, error });
  },
  deliver: ({ state }, { queue }) => {
    if (state.turn === undefined) take(state, queue);
  },
  handed_over: ({ state, effects }) => {
    const { turn } = state;
    if (turn?.phase !== 'starting') return;
    const injected = turn.injected.map(({ id }) => id);
    state.turn = undefined;
    effects.push(
      { type: 'enqueue', ids: injected, kind: 'message' },
      { type: 'finish', ids: [...turn.inputs, ...injected] },
    );
  },
  lost: (step, { error }) => {
    const { state, effects } = step;
    for (const { ids, isAwaited } of state.waiting) effects.push({ type: 'fail', ids, isAwaited, error });
    state.waiting = [];
    if (state.turn?.phase !== 'starting') change(state, { isDetached: true });
    stop(step);
    close(step);
  },
  check: ({ state }) => enqueue(state, { kind: 'resume' }),
  destroy: (step, { id, error }) => {
    const { state, effects } = step;
    storeWaiting(step);
    change(state, { isDetached: true });
    for (const call of state.queue)
      if ('command' in call) effects.push({ type: 'refuse', command: call.command, error });
      else effects.push({ type: 'fail', ids: call.entry.ids, isAwaited: true, error });
    state.queue = [{ command: { kind: 'call', id } }];
    state.isDestroyed = true;
  },
};

/** Begins everything that can begin now. */
function advance(step: Step): void {
  const { state, effects } = step;
  while (state.command === undefined) {
    const [next, ...later] = state.waiting;
    if (state.turn === undefined && next !== undefined) {
      state.waiting = later;
      begin(step, next);
      continue;
    }
    const [call, ...queue] = state.queue;
    if (call === undefined || ('command' in call && state.turn?.phase === 'starting')) return;
    state.queue = queue;
    if ('entry' in call) receive(step, call.entry);
    else {
      state.command = call.command;
      effects.push({ type: 'perform', command: call.command });
    }
  }
}

/** Starts the turn of an entry; one before a choice of the resource is only stored, as is a reminder. */
function begin({ state, effects }: Step, { ids, kind, isAwaited, isAborted }: Entry): void {
  if (kind === 'reminder') {
    state.command = { kind: 'store', ids };
    effects.push({ type: 'perform', command: state.command });
    return;
  }
  const isDetached = state.queue.some(call => 'command' in call && call.command.kind === 'resource');
  // The log stores each message separately: the first starts the turn, the others are injected into it.
  const [first = 0, ...others] = ids;
  const injected = others.map(id => ({ id, isReminder: false, isRead: false, isAccepted: true }));
  state.turn = { ...newTurn([first], isAwaited), injected, stopsAtStart: isAborted, isDetached };
  effects.push({ type: 'start', ids: [first], kind });
}

/** Takes an entry for the open thread: injects it, or lets it wait. */
function receive({ state, effects }: Step, entry: Entry): void {
  const { turn } = state;
  const { ids, kind } = entry;
  const [id = 0] = ids;
  if (turn !== undefined && kind !== 'follow_up' && acceptsInput(turn)) {
    change(state, { injected: [...turn.injected, { id, isReminder: kind === 'reminder', isRead: false }] });
    effects.push({ type: 'inject', id });
    if (turn.phase !== 'running') return;
    if (kind === 'message') effects.push({ type: 'enqueue', ids, kind });
    effects.push({ type: 'accept', ids }, { type: 'finish', ids });
    return;
  }
  const isAccepted = kind === 'follow_up' && turn !== undefined && turn.phase !== 'starting';
  state.waiting = [...state.waiting, isAccepted ? { ...entry, isAwaited: false } : entry];
  if (isAccepted) effects.push({ type: 'enqueue', ids, kind }, { type: 'finish', ids });
}

/** Replaces the waiting entries with the queue that was read from the log. */
function take(state: Mutable<MachineState>, { messages, isHeld }: ReadQueue): void {
  state.waiting = queuedEntries(state.waiting, messages);
  state.isQueueHeld = isHeld;
}

/**
 * Returns the entries that wait after a turn: the messages of the log in its order, then those that are not in the log.
 */
function queuedEntries(waiting: readonly Entry[], queue: readonly Queued[]): readonly Entry[] {
  const isQueued = (id: number) => queue.some(each => each.id === id);
  const known = waiting.flatMap(entry => entry.ids.map(id => ({ ...entry, ids: [id] })));
  const entries = queue.map(
    ({ id, kind }) => known.find(({ ids }) => ids[0] === id) ?? { ids: [id], kind, isAwaited: false, isAborted: false },
  );
  return [...entries, ...known.filter(({ ids: [id = 0], isAwaited }) => isAwaited && !isQueued(id))];
}

/** Aborts the runs of the turn. */
function stop({ state, effects }: Step): void {
  if (state.turn?.phase !== 'running') return;
  change(state, { phase: 'stopping', isSuspended: false });
  effects.push({ type: 'stop' });
}

/** Detaches everything from the open thread, which is being closed. */
function leave(step: Step): void {
  storeWaiting(step);
  change(step.state, { isDetached: true });
  step.state.isQueueHeld = false;
  stop(step);
}

/** Stores waiting messages in the open thread; follow-ups that were accepted are in its log, and reminders are dropped. */
function storeWaiting({ state, effects }: Step): void {
  const isStored = ({ kind, isAwaited }: Entry) => kind === 'message' || (kind === 'follow_up' && isAwaited);
  const ids = state.waiting.filter(isStored).flatMap(entry => entry.ids);
  const dropped = state.waiting.filter(entry => !isStored(entry)).flatMap(entry => entry.ids);
  if (ids.length > 0) effects.push({ type: 'store', ids });
  if (dropped.length > 0) effects.push({ type: 'finish', ids: dropped });
  state.waiting = [];
}

/** Closes the thread at once; its lock is released before any later call. */
function close({ state, effects }: Step): void {
  effects.push({ type: 'close' });
  state.queue = [{ command: { kind: 'release' } }, ...state.queue];
  state.hasOpenRuns = false;
  state.isQueueHeld = false;
}

function enqueue(state: Mutable<MachineState>, command: Command): void {
  state.queue = [...state.queue, { command }];
}

function reach(state: Mutable<MachineState>, reached: number): void {
  state.choices = { ...state.choices, reached };
}

function change(state: Mutable<MachineState>, changed: Partial<Turn>): void {
  if (state.turn !== undefined) state.turn = { ...state.turn, ...changed };
}

function newTurn(inputs: readonly number[], isAwaited: boolean): Turn {
  const flags = { stopsAtStart: false, isDetached: false, endsAtStep: false, isSuspended: false };
  return { phase: 'starting', inputs, isAwaited, injected: [], ...flags };
}

function abortFirst(queue: readonly Call[]): readonly Call[] {
  const at = queue.findIndex(call => 'entry' in call);
  return queue.map((call, index) =>
    index === at && 'entry' in call ? { entry: { ...call.entry, isAborted: true } } : call,
  );
}

/** Whether the active turn accepts input; a cancelled one does, to be stored with it. */
function acceptsInput(turn: Turn | undefined): boolean {
  if (turn?.phase === 'starting') return !turn.stopsAtStart;
  return turn?.phase === 'running' && !turn.isDetached;
}
