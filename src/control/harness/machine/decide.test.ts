import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from './decide.ts';
import { type Effect, followUps, initialState, type Input, isBusy, isNeeded, type Queued } from './state.ts';

type Kind = 'message' | 'follow_up' | 'reminder';

/** What became of a message. */
interface Sent {
  readonly kind: Kind;
  /** The thread that the calls before it lead to. */
  readonly thread: string;
  /** Each delivery: how, and in which thread. */
  readonly delivered: string[];
  /** Each answer to its caller. */
  readonly answers: ('finished' | 'failed')[];
  isRefused: boolean;
}

/** A shell without time: what is under way goes on when a test chooses it. */
class World {
  state = initialState;
  readonly sent = new Map<number, Sent>();
  /** The thread in whose log a message waits. */
  readonly queued = new Map<number, string>();
  readonly #underWay: (() => void)[] = [];
  readonly #commands = new Map<number, () => void>();
  #calls = 0;
  #thread = 't0';
  #turnThread = 't0';
  /** The thread that the calls so far lead to. */
  #target = 't0';
  #running = 0;
  #isStopped = false;
  #overs: (() => void)[] = [];

  do(input: Input): void {
    const { state, effects } = decide(this.state, input);
    this.state = state;
    for (const effect of effects) this.#perform(effect);
    this.#check();
  }

  send(kind: Kind): void {
    const id = ++this.#calls;
    this.sent.set(id, { kind, thread: this.#target, delivered: [], answers: [], isRefused: false });
    this.do({ type: 'send', id, kind });
  }

  /** A call that opens another thread, as Threads does: it leaves the open one, and waits for the end of its turn. */
  switch(how: 'leave' | 'stop' | 'nothing'): void {
    const id = ++this.#calls;
    const thread = how === 'leave' ? `t${id}` : this.#target;
    this.#target = thread;
    this.#commands.set(id, () => {
      if (how !== 'nothing') this.do({ type: how });
      this.#whenOver(() => {
        if (how === 'leave') this.#thread = thread;
        this.#later(() => this.do({ type: 'command_ended' }));
      });
    });
    this.do({ type: 'command', command: { kind: 'call', id } });
  }

  choose(): void {
    const id = ++this.#calls;
    this.#target = `t${id}`;
    this.#commands.set(id, () => {
      this.do({ type: 'leave' });
      this.#whenOver(() => {
        this.#thread = `t${id}`;
        this.#later(() => this.do({ type: 'command_ended' }));
      });
    });
    const { made } = this.state.choices;
    this.do({ type: 'choose', id });
    if (this.state.choices.reached === made + 1) this.#thread = `t${id}`;
  }

  /** One of the things under way goes on. */
  goOn(choice: number): boolean {
    const [next] = this.#underWay.splice(choice % Math.max(1, this.#underWay.length), 1);
    next?.();
    return next !== undefined;
  }

  /** The runs of the turn end by themselves. */
  endRuns(isComplete: boolean): void {
    if (this.#running === 0 || this.state.turn === undefined || this.state.turn.phase === 'starting') return;
    this.#running = 0;
    this.do({ type: 'ended', isComplete });
  }

  read(): void {
    if (this.#running === 0) return;
    const ids = (this.state.turn?.injected ?? []).flatMap(({ id, isRead }) => (isRead ? [] : id));
    this.#deliver(ids, 'read', this.#turnThread);
    this.do({ type: 'read', ids });
  }

  adopt(): void {
    if (this.state.command === undefined || this.state.turn !== undefined) return;
    this.#turnThread = this.#thread;
    this.#running = 1;
    this.#isStopped = false;
    this.do({ type: 'adopted' });
  }

  #later(work: () => void): void {
    this.#underWay.push(work);
  }

  #whenOver(work: () => void): void {
    if (this.state.turn === undefined) work();
    else this.#overs.push(work);
  }

  #over(): void {
    const overs = this.#overs;
    this.#overs = [];
    for (const work of overs) work();
  }

  #deliver(ids: readonly number[], how: string, thread: string): void {
    for (const id of ids) {
      this.sent.get(id)?.delivered.push(`${how} ${thread}`);
      this.queued.delete(id);
    }
  }

  #answer(ids: readonly number[], answer: 'finished' | 'failed'): void {
    for (const id of ids) {
      const sent = this.sent.get(id);
      // Only the first answer of a promise counts.
      if (sent?.answers.length === 0) sent.answers.push(answer);
    }
  }

  #perform(effect: Effect): void {
    switch (effect.type) {
      case 'perform': {
        const { command } = effect;
        if ('id' in command) return this.#later(() => this.#commands.get(command.id)?.());
        if (command.kind === 'store') this.#store(command.ids, this.#thread);
        if (command.kind !== 'release') return this.#later(() => this.do({ type: 'command_ended' }));
        return this.#whenOver(() => this.#later(() => this.do({ type: 'command_ended' })));
      }
      case 'start':
        this.#turnThread = this.#thread;
        return this.#later(() => this.#start(effect.ids));
      case 'stop':
        this.#isStopped = true;
        return this.#later(() => this.endRuns(false));
      case 'settle':
        // The messages that a run has read are in the log.
        this.#store(
          effect.store.filter(id => this.sent.get(id)?.delivered.length === 0),
          this.#turnThread,
        );
        return this.#later(() => {
          const isOpen = this.#turnThread === this.#thread;
          const ids = [...this.queued].flatMap(([id, thread]) => (thread === this.#thread ? id : []));
          const kindOf = (id: number) => (this.sent.get(id)?.kind === 'follow_up' ? 'follow_up' : 'message');
          const messages = ids.map((id): Queued => ({ id, kind: kindOf(id) }));
          this.do({ type: 'settled', ...(isOpen && { queue: { messages, isHeld: false } }) });
          this.#over();
        });
      case 'enqueue':
        for (const id of effect.ids) if (this.sent.get(id)?.delivered.length === 0) this.queued.set(id, this.#thread);
        return;
      case 'store':
        return this.#store(effect.ids, this.#thread);
      case 'finish':
        return this.#answer(effect.ids, 'finished');
      case 'fail':
        for (const id of effect.ids) {
          (this.sent.get(id) as Sent).isRefused = true;
          // A message whose caller was answered is stored without an answer.
          this.queued.delete(id);
        }
        return this.#answer(effect.ids, 'failed');
      case 'refuse':
      case 'inject':
      case 'accept':
      case 'count':
      case 'close':
    }
  }

  #store(ids: readonly number[], thread: string): void {
    this.#deliver(ids, 'stored', thread);
    this.#answer(ids, 'finished');
  }

  #start(ids: readonly number[]): void {
    if (this.state.turn?.isDetached === true) return this.do({ type: 'cancelled' });
    const isRefused = (ids[0] ?? 0) % 7 === 3;
    if (isRefused) this.do({ type: 'failed', error: 'refused' });
    else {
      this.#deliver(ids, 'sent', this.#thread);
      this.#running = 1;
      this.#isStopped = false;
      this.do({ type: 'started', isResumed: false });
    }
    if (isRefused) this.#over();
  }

  /** No state is illegal. */
  #check(): void {
    const { turn, waiting, queue, command, choices, isDestroyed } = this.state;
    assert(turn?.phase !== 'starting' || command === undefined, 'a turn starts during a command');
    const isIdle = turn === undefined && command === undefined;
    assert(!isIdle || waiting.length === 0, 'input waits for nothing');
    const isFree = command === undefined && turn?.phase !== 'starting';
    assert(!isFree || queue.length === 0, 'a call waits for nothing');
    assert(choices.reached <= choices.made, 'a choice is in effect that was not made');
    assert(turn?.stopsAtStart !== true || turn.phase !== 'running', 'an aborted turn runs');
    assert(turn?.isSuspended !== true || turn.phase === 'running', 'a turn that ends is suspended');
    for (const id of turn?.isSuspended === true ? turn.inputs : [])
      assert(this.sent.get(id)?.answers.length === 1, 'a caller waits for a suspended turn');
    assert(turn?.phase !== 'stopping' || this.#isStopped, 'nobody stops the runs of a stopping turn');
    assert(!isDestroyed || waiting.length === 0, 'input waits in a destroyed harness');
    for (const [id, { isRefused }] of this.sent)
      assert(!isRefused || !isNeeded(this.state, id), 'a refused message is kept');
  }
}

const acts: Record<string, (world: World, n: number) => void> = {
  message: world => world.send('message'),
  'follow up': world => world.send('follow_up'),
  reminder: world => world.send('reminder'),
  'open another thread': world => world.switch('leave'),
  'switch the mode': world => world.switch('stop'),
  'rename the thread': world => world.switch('nothing'),
  'choose a resource': world => world.choose(),
  abort: world => world.do({ type: 'abort' }),
  read: world => world.read(),
  adopt: world => world.adopt(),
  complete: world => world.endRuns(true),
  fail: world => world.endRuns(false),
  'agent ends in the log': world => world.do({ type: 'runs', isOpen: false }),
  'suspend a call': world => world.do({ type: 'suspended' }),
  'agent starts in the log': world => world.do({ type: 'runs', isOpen: true }),
  check: world => world.do({ type: 'check' }),
  'approve a plan': world => world.do({ type: 'plan_approved' }),
  'go on': (world, n) => void world.goOn(n),
  'go on first': world => void world.goOn(0),
};

const frequent = ['go on', 'go on first', 'message', 'message', 'open another thread', 'complete', 'choose a resource'];
const act = fc.constantFrom(...Object.keys(acts), ...frequent, ...frequent);
const sequence = fc.array(fc.tuple(act, fc.nat(5)), { maxLength: 40 });

/** Lets everything go on until nothing is under way. */
function drain(world: World): void {
  for (let step = 0; step < 1000; step++) {
    while (world.goOn(0));
    if (world.state.turn === undefined) return;
    world.read();
    world.endRuns(true);
  }
}

describe('the machine', () => {
  it('loses, repeats and misplaces no message, and answers each caller', () => {
    fc.assert(
      fc.property(sequence, played => {
        const world = new World();
        for (const [name, n] of played) acts[name]?.(world, n);
        drain(world);
        expect([isBusy(world.state), world.state.command, followUps(world.state)]).toEqual([false, undefined, []]);
        for (const [id, { kind, thread, delivered, answers, isRefused }] of world.sent) {
          expect(answers).toHaveLength(1);
          expect(delivered.length).toBeLessThanOrEqual(1);
          const waits = world.queued.get(id) === thread;
          if (kind === 'message' && !isRefused) expect(delivered).toHaveLength(1);
          if (kind === 'follow_up' && !isRefused) expect([delivered.length === 1, waits]).toContain(true);
          expect([delivered.length === 1, waits]).not.toEqual([true, true]);
          for (const how of delivered) expect(how.split(' ')[1]).toBe(thread);
        }
      }),
      { numRuns: 1500 },
    );
  });

  it('loses no message when it is destroyed, and begins nothing afterwards', () => {
    fc.assert(
      fc.property(sequence, sequence, (before, after) => {
        const world = new World();
        for (const [name, n] of before) acts[name]?.(world, n);
        const known = new Set(world.sent.keys());
        world.do({ type: 'destroy', id: 100_000, error: 'destroyed' });
        for (const [name, n] of after) acts[name]?.(world, n);
        drain(world);
        for (const [id, { kind, delivered, answers, isRefused }] of world.sent) {
          if (!known.has(id)) expect([delivered, answers]).toEqual([[], []]);
          else if (kind === 'message' && !isRefused) expect(delivered).toHaveLength(1);
          if (known.has(id)) expect(answers).toHaveLength(1);
        }
      }),
      { numRuns: 500 },
    );
  });
});
