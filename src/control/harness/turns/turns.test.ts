import { describe, expect, it } from 'vitest';
import type { RunHandle, RunOutcome } from '../../supervision/run-control.ts';
import { RequestContext } from '../tools/request-context.ts';
import { newTurn, type UserInput, Turns } from './turns.ts';

interface Run {
  readonly said: UserInput;
  readonly end: (outcome?: RunOutcome) => void;
}

/** Turns whose runs a test ends by hand. */
function played(fails: (said: UserInput) => boolean = () => false) {
  const runs: Run[] = [];
  const log: string[] = [];
  const leaving = { now: false };
  const turns = new Turns({
    start: async (turn, said) => {
      if (fails(said)) throw new Error('no start');
      let end: Run['end'] = () => {};
      const done = new Promise<RunOutcome>(resolve => (end = (outcome = 'complete') => resolve(outcome)));
      const handle: RunHandle = { threadId: 't', runId: `run-${runs.length}`, done, seq: 0 };
      runs.push({ said, end });
      turn.handles = [handle];
    },
    stop: async ({ runId }) => {
      log.push(`stop ${runId}`);
      runs[Number(runId.slice(4))]?.end('aborted');
    },
    settle: async (_, unread) =>
      void log.push(`settled ${unread.map(({ content }) => content as string).join()}`.trim()),
    isSwitching: () => leaving.now,
    onQueued: count => void log.push(`queued ${count}`),
    onError: error => void log.push(String(error)),
  });
  const started = async (count: number) => {
    await expect.poll(() => runs.length).toBe(count);
  };
  return { turns, runs, log, started, leaving };
}
const contents = (runs: readonly Run[]) => runs.map(({ said }) => said.content);

describe('turns', () => {
  it('end when their run has ended and its events were emitted', async () => {
    const { turns, runs, log, started } = played();
    const { done: sent, runId } = turns.send({ content: 'a' });
    expect(turns.current).toBeDefined();
    await started(1);
    expect(await runId()).toBe('run-0');
    runs[0]?.end();
    await sent;
    expect(log).toEqual(['settled']);
    expect(turns.current).toBe(undefined);
  });

  it('accept input meanwhile; unread input starts the next one, before queued input', async () => {
    const { turns, runs, started } = played();
    const { done: sent } = turns.send({ content: 'a' });
    const { done: put } = turns.send({ content: 'b' });
    await turns.followUp({ content: 'c' });
    await put;
    expect(turns.current?.steering.map(({ content }) => content)).toEqual(['b']);
    runs[0]?.end();
    await sent;
    await started(2);
    runs[1]?.end();
    await started(3);
    expect(contents(runs)).toEqual(['a', [{ type: 'text', text: 'b' }], 'c']);
    runs[2]?.end();
  });

  it('that fail return unread input to be stored', async () => {
    const { turns, runs, log, started } = played();
    const { done: sent } = turns.send({ content: 'a' });
    await started(1);
    void turns.send({ content: 'b' });
    runs[0]?.end('error');
    await sent;
    expect(log).toEqual(['settled b']);
    expect(turns.current).toBe(undefined);
  });

  it('follow each other without an idle moment while input is queued', async () => {
    const { turns, runs, log, started } = played();
    const { done: sent } = turns.send({ content: 'a' });
    await turns.followUp({ content: 'b' });
    await started(1);
    let rested = false;
    const watching = sent.then(() => (rested = turns.current === undefined));
    runs[0]?.end();
    await watching;
    expect(rested).toBe(false);
    expect(log).toEqual(['queued 1', 'settled']);
    await started(2);
    runs[1]?.end();
    await turns.ended();
  });

  it('are aborted, also before they have started', async () => {
    const { turns, log } = played();
    const { done: sent } = turns.send({ content: 'a' });
    turns.abort();
    await sent;
    expect(log).toEqual(['stop run-0', 'settled']);
    await turns.stop();
    expect(log).toHaveLength(2);
  });

  it('that are aborted accept no input: later input is sent in order', async () => {
    const { turns, runs, started } = played();
    const { done: sent } = turns.send({ content: 'a' });
    await started(1);
    await turns.followUp({ content: 'b' });
    turns.abort();
    const { done, runId } = turns.send({ content: 'c' });
    await turns.followUp({ content: 'd' });
    await sent;
    for (const count of [2, 3, 4]) {
      await started(count);
      runs[count - 1]?.end();
    }
    await done;
    expect([await runId(), contents(runs)]).toEqual(['run-2', ['a', 'b', 'c', 'd']]);
  });

  it('that are about to be detached accept no input, unless the switch fails', async () => {
    const { turns, runs, started, leaving } = played();
    const { done: sent } = turns.send({ content: 'a' });
    await started(1);
    leaving.now = true;
    const { done: put } = turns.send({ content: 'b' });
    expect(turns.current?.steering).toEqual([]);
    leaving.now = false;
    turns.deliverQueued();
    await put;
    expect(turns.current?.steering).toMatchObject([{ content: 'b' }]);
    runs[0]?.end('aborted');
    await sent;
  });

  it('drop their follow-ups, and return the messages to be sent', async () => {
    const { turns, runs, started } = played();
    const { done: sent } = turns.send({ content: 'a', order: 1 });
    await started(1);
    turns.abort();
    const { done } = turns.send({ content: 'b', order: 2 });
    await turns.followUp({ content: 'c', order: 3 });
    void turns.send({ content: 'd', order: 5 });
    expect(turns.dropQueued(4).map(({ content }) => content)).toEqual(['b']);
    await done;
    await sent;
    await started(2);
    expect(contents(runs)).toEqual(['a', 'd']);
    runs[1]?.end();
  });

  it('that used all their steps have answered: unread input starts the next one, with its context', async () => {
    const { turns, runs, started } = played();
    const { done: sent } = turns.send({ content: 'a' });
    await started(1);
    void turns.send({ content: 'b', requestContext: new RequestContext([['who', 'me']]) });
    runs[0]?.end('max_iterations');
    await sent;
    await started(2);
    expect(runs[1]?.said).toMatchObject({
      content: [{ text: 'b' }],
      requestContext: new RequestContext([['who', 'me']]),
    });
    runs[1]?.end();
  });

  it('that cannot start reject for all callers, and the next one may start', async () => {
    const { turns, runs, log, started } = played(({ content }) => content === 'a');
    const { done: sent } = turns.send({ content: 'a' });
    const { done: put } = turns.send({ content: 'b' });
    await turns.followUp({ content: 'a' });
    await turns.followUp({ content: 'c' });
    await expect(sent).rejects.toThrow('no start');
    await expect(put).rejects.toThrow('no start');
    await started(1);
    expect(contents(runs)).toEqual(['c']);
    expect(log).toContain('Error: no start');
    runs[0]?.end();
  });

  it('may be adopted, and run a callback at their end', async () => {
    const { turns, log } = played();
    let end: (outcome: RunOutcome) => void = () => {};
    const done = new Promise<RunOutcome>(resolve => (end = resolve));
    const turn = newTurn();
    turn.handles = [{ threadId: 't', runId: 'run-9', done, seq: 0 }];
    turn.atEnd = async () => void log.push('at end');
    await turns.adopt(turn, async () => {});
    expect(turns.current).toBe(turn);
    end('complete');
    await turns.ended();
    expect(log).toEqual(['settled', 'at end']);
  });

  it('that cannot be adopted never existed: their input is rejected, no error is emitted', async () => {
    const { turns, runs, log } = played();
    const adopting = turns.adopt(newTurn(), () => Promise.reject(new Error('elsewhere')));
    const { done } = turns.send({ content: 'a' });
    await expect(adopting).rejects.toThrow('elsewhere');
    await expect(done).rejects.toThrow('elsewhere');
    await turns.ended();
    expect([turns.current, runs, log]).toEqual([undefined, [], []]);
  });

  it('that are aborted during adoption are aborted as soon as they have runs', async () => {
    const { turns, log } = played();
    const turn = newTurn();
    const adopting = turns.adopt(turn, async () => {
      await Promise.resolve();
      turn.handles = [{ threadId: 't', runId: 'run-9', done: Promise.resolve('aborted'), seq: 0 }];
    });
    turns.abort();
    await adopting;
    expect(log).toContain('stop run-9');
  });
});
