import type { UserMessage } from '../../../agents/contract/host.ts';
import type { Clock } from '../../../agents/clock.ts';
import { ownerCheckMs, remoteLeaseMs } from '../../supervision/leases.ts';
import type { RunTrace } from '../../../events/trace-context.ts';
import { type UserInput, deferred, Messages, type SentMessage } from './messages.ts';
import { decide } from './decide.ts';
import { harnessDestroyed, runDetached } from './harness-errors.ts';
import { LiveTurn } from './live-turn.ts';
import { Watch } from './watch.ts';
import type { TurnEffects, WaitingInThread } from './turn-effects.ts';
import {
  type Command,
  type Effect,
  type Entry,
  followUps,
  initialState,
  type Input,
  isNeeded,
  isWatching,
  type MachineState,
  type Queued,
  type ReadQueue,
} from './state.ts';

interface PendingCommand {
  readonly work: () => Promise<void>;
  readonly refuse: (error: unknown) => void;
}

/** Performs the effects of the machine: holds its state, the contents of messages, and the promises of callers. */
export class Machine {
  readonly #turns: TurnEffects;
  readonly #watch: Watch;
  readonly #messages = new Messages();
  readonly #commands = new Map<number, PendingCommand>();
  readonly #effects: Effect[] = [];
  #state = initialState;
  #live: LiveTurn | undefined;
  #calls = 0;
  #isPerforming = false;
  #stored: Promise<unknown> = Promise.resolve();
  /** Settles when all messages that have to wait are in the log. */
  #storing: Promise<void> = Promise.resolve();

  constructor(turns: TurnEffects, clock: Clock) {
    this.#turns = turns;
    this.#watch = new Watch(clock, () => turns.hasEndedOwner());
  }

  get state(): MachineState {
    return this.#state;
  }

  /** The ids of the follow-ups of this harness that wait for their turn. */
  get followUpIds(): readonly string[] {
    return this.#messages.messages(followUps(this.#state)).map(({ id }) => id);
  }

  /** Whether this harness has the request context of a message. */
  hasContext(messageId: string): boolean {
    const id = this.#messages.findNumber(messageId);
    return id !== undefined && this.#messages.contents([id])[0]?.requestContext !== undefined;
  }

  /** The active turn. */
  get live(): LiveTurn | undefined {
    return this.#live;
  }

  /** Sends a message, after all earlier calls. */
  send(input: UserInput, kind: Entry['kind'] = 'message'): SentMessage {
    const id = ++this.#calls;
    const sent = this.#messages.add(id, input);
    if (this.#state.isDestroyed) this.#messages.fail([id], harnessDestroyed());
    else this.dispatch({ type: 'send', id, kind });
    return sent;
  }

  /** Resolves when the turn that continues with the data of a suspended call has ended or is suspended again. */
  async respond(): Promise<void> {
    const id = ++this.#calls;
    const { done } = this.#messages.add(id, { content: '' });
    this.dispatch({ type: 'responded', id });
    await done;
  }

  /** Runs a command when all earlier ones have ended; until it ends, no other command runs and no turn starts. */
  command<Result>(work: () => Promise<Result>): Promise<Result> {
    const { id, result } = this.#register(() => this.#turns.init().then(work));
    this.dispatch({ type: 'command', command: { kind: 'call', id } });
    return result;
  }

  /** Closes the thread for another resource: at once when no call is queued, else `work` does, after these. */
  async choose(work: () => Promise<void>): Promise<void> {
    const { id, result } = this.#register(() => this.#turns.init().then(work));
    this.dispatch({ type: 'choose', id });
    if (this.isReached(this.#state.choices.made)) this.#commands.delete(id);
    else await result;
  }

  /** Whether the open thread belongs to the calls under a choice of the resource. */
  isReached(choice: number): boolean {
    return this.#state.choices.reached === choice;
  }

  /** Stops the turn, and resolves when it is over; `leave` also detaches the thread. Call it within a command. */
  async stop(how: 'stop' | 'leave'): Promise<void> {
    this.dispatch({ type: how });
    await this.stored();
    await this.over();
  }

  /** Resolves when the active turn is over. */
  async over(): Promise<void> {
    await this.#live?.over;
  }

  /** Resolves when all messages of closed threads are stored. */
  async stored(): Promise<void> {
    await this.#stored;
  }

  /** Resumes the orphaned runs of the open thread as the active turn. Call it within a command. */
  async resumeOrphans(): Promise<void> {
    if (this.#state.turn !== undefined) return;
    const turn = this.#newTurn();
    try {
      await this.#turns.resumeOrphans(turn);
    } finally {
      if (turn.handles.length > 0) {
        this.#live = turn;
        this.dispatch({ type: 'adopted' });
        void this.#follow(turn);
      }
    }
  }

  /**
   * Delivers the waiting messages of the open thread, or one of them, when no turn is active. Call it within a command.
   */
  async deliver(messageId?: string): Promise<void> {
    const queue = this.#state.turn === undefined ? await this.#turns.waiting(undefined, true) : undefined;
    if (queue !== undefined) this.dispatch({ type: 'deliver', queue: this.#adopt(queue, messageId) });
  }

  /** Rejects all later calls, and stores waiting messages; then `work` runs, after the running command. */
  async destroy(work: () => Promise<void>): Promise<void> {
    const { id, result } = this.#register(() => this.#stored.then(work));
    this.dispatch({ type: 'destroy', id, error: harnessDestroyed() });
    await result;
  }

  /** Decides about an input, and performs the effects after those of earlier inputs. */
  dispatch(input: Input): void {
    const { state, effects } = decide(this.#state, input);
    this.#state = state;
    this.#effects.push(...effects);
    if (this.#isPerforming) return;
    this.#isPerforming = true;
    try {
      for (let next = this.#effects.shift(); next !== undefined; next = this.#effects.shift()) this.#perform(next);
    } finally {
      this.#isPerforming = false;
    }
    this.#keepTime();
  }

  #perform(effect: Effect): void {
    switch (effect.type) {
      case 'perform':
        return void this.#run(effect.command);
      case 'refuse':
        return 'id' in effect.command ? this.#take(effect.command.id)?.refuse(effect.error) : undefined;
      case 'start':
        return void this.#start(effect.ids, effect.kind);
      case 'inject':
        this.#messages.deliver([effect.id]);
        for (const input of this.#messages.contents([effect.id])) this.#turns.onInjected(this.#live as LiveTurn, input);
        this.#live?.notifyInjected();
        return;
      case 'stop':
        return this.#turns.stopTurn(this.#live as LiveTurn);
      case 'settle':
        return void this.#settle(this.#live as LiveTurn, effect);
      case 'store':
        return void (this.#stored = Promise.all([this.#stored, this.#store(effect.ids, true)]));
      case 'accept':
        return this.#messages.accept(effect.ids, this.#live?.runId ?? '');
      case 'finish':
        this.#messages.finish(effect.ids);
        return this.#drop(effect.ids);
      case 'fail':
        if (!effect.isAwaited) return void this.#rescue(effect.ids, effect.error);
        this.#messages.fail(effect.ids, effect.error);
        return this.#drop(effect.ids);
      case 'count':
        return this.#turns.onQueued();
      case 'enqueue':
        return this.#enqueue(effect.ids, effect.kind);
      case 'close':
        return this.#turns.closeThread();
    }
  }

  #newTurn(trace?: Partial<RunTrace>): LiveTurn {
    const turn: LiveTurn = new LiveTurn(trace, {
      read: () => (this.#live === turn ? this.#read() : []),
      ready: () => turn.begun.then(() => this.#storing),
      isOwn: messageId => this.#isInjected(this.#messages.findNumber(messageId)),
      endsAtStep: () => this.#live === turn && this.#state.turn?.endsAtStep === true,
    });
    return turn;
  }

  async #start(ids: readonly number[], kind: Queued['kind']): Promise<void> {
    const [input = { content: '' }] = this.#messages.contents(ids);
    const turn = this.#newTurn(input.trace);
    turn.kind = kind;
    this.#live = turn;
    try {
      await this.#turns.init();
      await this.#messages.stored(ids);
      const isStored = ids.some(id => this.#messages.isStored(id));
      const isCancelled = () => this.#state.turn?.isDetached === true;
      const how = await this.#turns.startTurn(turn, { ...input, isStored }, isCancelled);
      if (how === 'cancelled') return this.dispatch({ type: 'cancelled' });
      if (how === 'handed_over') {
        this.#live = undefined;
        this.dispatch({ type: 'handed_over' });
        return turn.end();
      }
      this.dispatch({ type: 'started', isResumed: how === 'resumed' });
    } catch (error) {
      this.#live = undefined;
      this.dispatch({ type: 'failed', error });
      return turn.end();
    }
    await this.#follow(turn);
  }

  /** Waits for the end of the turn's runs. */
  async #follow(turn: LiveTurn): Promise<void> {
    // A resumed run may have been suspended before.
    if (turn.thread?.projection.isSuspended === true) this.dispatch({ type: 'suspended' });
    turn.begin();
    this.dispatch({ type: 'ended', isComplete: await turn.isComplete() });
  }

  async #settle(turn: LiveTurn, { store, endsPlanning }: Extract<Effect, { type: 'settle' }>): Promise<void> {
    const settling = this.#storing.then(() =>
      this.#turns.settleTurn(turn, this.#messages.contents(store), endsPlanning),
    );
    const settled = await settling.then(
      () => ({}),
      (error: unknown) => ({ error }),
    );
    const queue = await this.#turns
      .waiting(turn, this.#state.waiting.length > 0)
      .catch((error: unknown) => this.#turns.onError(error));
    this.#live = undefined;
    const { turn: { inputs = [], isDetached = false } = {}, isDestroyed } = this.#state;
    // The run of a thread that was deleted cannot be resumed.
    if (turn.handles.some(run => run.isDetached) && (isDestroyed || !isDetached))
      this.#messages.fail(inputs, runDetached(turn));
    this.dispatch({ type: 'settled', ...(queue && { queue: this.#adopt(queue) }), ...settled });
    this.#drop(store);
    turn.end();
  }

  async #run(command: Command): Promise<void> {
    const report = (error: unknown) => this.#turns.onError(error);
    if ('id' in command) await this.#take(command.id)?.work();
    else if (command.kind === 'store') await this.#store(command.ids, false);
    else if (command.kind === 'resume') await this.#resume().catch(report);
    else await this.#release().catch(report);
    this.dispatch({ type: 'command_ended' });
  }

  async #store(ids: readonly number[], creates: boolean): Promise<void> {
    try {
      if (await this.#turns.store(this.#messages.contents(ids), creates)) this.#messages.deliver(ids);
      this.#messages.finish(ids);
    } catch (error) {
      this.#messages.fail(ids, error);
    }
    this.#drop(ids);
  }

  /** Stores messages that could not be sent, and whose callers were answered before. */
  async #rescue(ids: readonly number[], error: unknown): Promise<void> {
    if (ids.length === 0) return;
    this.#turns.onError(error);
    await this.#store(ids, false);
  }

  /** The injected messages that no run has read; a message of a person is in the log before a run gets it. */
  #read(): readonly UserMessage[] {
    const injected = this.#state.turn?.injected ?? [];
    const ids = injected.flatMap(({ id, isRead, isReminder }) =>
      isRead || !(isReminder || this.#messages.isStored(id)) ? [] : id,
    );
    if (ids.length > 0) this.dispatch({ type: 'read', ids });
    return this.#messages.messages(ids);
  }

  #enqueue(ids: readonly number[], kind: Queued['kind']): void {
    for (const id of ids) {
      if (this.#messages.isStored(id)) continue;
      const [message] = this.#messages.messages([id]);
      if (message === undefined) continue;
      const storing = this.#turns.enqueue(message, kind, this.hasContext(message.id));
      this.#messages.store(id, storing);
      // The sender of the message gets the error.
      void storing.then(() => this.#live?.notifyInjected()).catch(() => {});
      this.#storing = Promise.allSettled([this.#storing, storing]).then(() => {});
    }
  }

  /**
   * Returns the messages of the log to send next, by number. Messages that other processes stored get a number here.
   */
  #adopt({ messages, isHeld }: WaitingInThread, chosen?: string): ReadQueue {
    const sent = messages.filter(({ id }) => (chosen === undefined ? !isHeld : id === chosen));
    const queued = sent.map(({ id: messageId, content, delivery }): Queued => {
      let id = this.#messages.findNumber(messageId);
      if (id === undefined) {
        id = ++this.#calls;
        this.#messages.add(id, { content, id: messageId });
        this.#messages.store(id, Promise.resolve());
      } else this.#messages.change(id, content);
      return { id, kind: delivery === 'steer' ? 'message' : 'follow_up' };
    });
    return { messages: queued, isHeld };
  }

  /** Resumes orphaned runs, and delivers the queue if it was held. */
  async #resume(): Promise<void> {
    await this.resumeOrphans();
    if (this.#state.isQueueHeld) await this.deliver();
  }

  #isInjected(id: number | undefined): boolean {
    return this.#state.turn?.injected.some(injected => injected.id === id) === true;
  }

  #drop(ids: readonly number[]): void {
    this.#messages.drop(ids, id => isNeeded(this.#state, id));
  }

  #register<Result>(work: () => Promise<Result>): { readonly id: number; readonly result: Promise<Result> } {
    const id = ++this.#calls;
    const { promise, resolve, reject } = deferred<Result>();
    if (this.#state.isDestroyed) reject(harnessDestroyed());
    else this.#commands.set(id, { work: () => work().then(resolve, reject), refuse: reject });
    return { id, result: promise };
  }

  #take(id: number): PendingCommand | undefined {
    const pending = this.#commands.get(id);
    this.#commands.delete(id);
    return pending;
  }

  /** Releases the lock of a closed thread. */
  async #release(): Promise<void> {
    await this.stop('stop');
    await this.#turns.release();
  }

  /** Looks again while open runs of another process, or a held queue, are watched. */
  #keepTime(): void {
    if (isWatching(this.#state) === this.#watch.isActive) return;
    if (this.#watch.isActive) return this.#watch.stop();
    this.#turns.onWatch();
    const ms = this.#state.isQueueHeld ? ownerCheckMs : remoteLeaseMs;
    this.#watch.start(ms, () => this.dispatch({ type: 'check' }));
  }
}
