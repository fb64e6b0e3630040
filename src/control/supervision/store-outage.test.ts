import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { defineTool } from '../../agents/tool-definition/define-tool.ts';
import { loopAgent } from '../../agents/loop/loop-agent.ts';
import { scriptByStep } from '../../agents/model/scripted/script.ts';
import { scriptedModel } from '../../agents/model/scripted/scripted-model.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { EventLog } from '../../log/event-log.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { Supervisor } from './supervisor.ts';
import { StoreOutage } from './store-outage.ts';

const full = new SingletreeError('log_full', 'The disk is full.');

/** A log that cannot be written while `isFull`. */
class FillingLog extends MemoryLog {
  isFull = false;
  failure = full;
  readonly #refused: (() => void)[] = [];

  override async append(...args: Parameters<EventLog['append']>): ReturnType<EventLog['append']> {
    this.#check();
    return super.append(...args);
  }

  override async updateThread(...args: Parameters<EventLog['updateThread']>): ReturnType<EventLog['updateThread']> {
    this.#check();
    return super.updateThread(...args);
  }

  override async renewLease(...args: Parameters<EventLog['renewLease']>): ReturnType<EventLog['renewLease']> {
    this.#check();
    return super.renewLease(...args);
  }

  /** Resolves when a write was refused. */
  refused(): Promise<void> {
    return new Promise(resolve => this.#refused.push(resolve));
  }

  #check(): void {
    if (!this.isFull) return;
    for (const resolve of this.#refused.splice(0)) resolve();
    throw this.failure;
  }
}

/** A run whose tool fills the disk. */
async function fillingRun(failure = full) {
  const log = new FillingLog();
  log.failure = failure;
  const { id: threadId } = await log.createThread();
  let effects = 0;
  const fill = defineTool({
    name: 'fill',
    description: 'Fills the disk.',
    input: z.object({}),
    execute: () => {
      effects++;
      log.isFull = true;
      return { context: 'filled' };
    },
  });
  const agent = loopAgent({
    model: scriptedModel(scriptByStep([{ toolCall: { id: 'c', name: 'fill', input: {} } }, 'Done.'])),
    tools: [fill],
    permissions: { default: 'allow', rules: [] },
  });
  const lines: string[] = [];
  const codes: string[] = [];
  const supervisor = new Supervisor({
    log,
    agents: [agent],
    report: line => void lines.push(line),
    onDiagnostic: ({ code }) => void codes.push(code),
  });
  const refused = log.refused();
  const run = await supervisor.start(threadId, { agent, content: 'Go.' });
  await refused;
  return { log, threadId, agent, supervisor, run, lines, codes, effects: () => effects };
}

describe('a run whose log cannot be written', () => {
  it('reports it in one line, waits, and completes in the same process when there is space', async () => {
    const { log, threadId, supervisor, run, lines, effects } = await fillingRun();
    await log.refused();
    expect(lines).toEqual(['The disk is full. Runs wait until the log can be written.']);
    log.isFull = false;
    expect(await run.done).toBe('complete');
    expect(effects()).toBe(1);
    const events = await log.read(threadId);
    expect(events.filter(({ type }) => type === 'tool_result')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'warning')).toMatchObject([
      { runId: run.runId, code: 'log_full', message: expect.stringMatching(/^The run waited \d+ s because the log/) },
    ]);
    await supervisor.close();
    expect(lines.slice(1)).toEqual(['The log can be written again.']);
  });

  it('stays open when its process closes meanwhile, and is resumed by the next one', async () => {
    const { log, threadId, agent, supervisor, run, effects } = await fillingRun();
    await supervisor.close();
    expect(await run.done).toBe('interrupted');
    log.isFull = false;
    const [resumed] = await new Supervisor({ log, agents: [agent] }).recover();
    expect(await resumed?.done).toBe('complete');
    expect(effects()).toBe(1);
    expect((await log.read(threadId)).filter(({ type }) => type === 'harness_start')).toHaveLength(1);
  });

  it('is left open for another process when the log fails for another reason, which is reported', async () => {
    const damaged = new SingletreeError('log_corrupt', 'The file is damaged.');
    const { threadId, log, supervisor, run, codes } = await fillingRun(damaged);
    expect(await run.done).toBe('interrupted');
    expect(codes).toContain('run_detached');
    expect((await log.read(threadId)).some(({ type }) => type === 'harness_end')).toBe(false);
    await supervisor.close();
  });

  it('keeps its thread: a message meanwhile is rejected, and starts no second run', async () => {
    const { log, threadId, agent, supervisor, run } = await fillingRun();
    const beside = { agent, content: 'And?', parallel: true };
    await expect(supervisor.start(threadId, beside)).rejects.toMatchObject({ code: 'log_full' });
    log.isFull = false;
    expect(await run.done).toBe('complete');
    expect((await log.read(threadId)).filter(({ type }) => type === 'user')).toHaveLength(1);
    await supervisor.close();
  });
});

describe('StoreOutage', () => {
  it('retries a write with doubling delays of at most five seconds, until it succeeds', async () => {
    const clock = new ManualClock();
    const reported: unknown[] = [];
    const outage = new StoreOutage({
      clock,
      onBegin: error => void reported.push(error.code),
      onEnd: (error, ms) => void reported.push([error.code, ms]),
    });
    const attempts: number[] = [];
    const written = outage.write(async () => {
      attempts.push(clock.now());
      if (attempts.length < 9) throw full;
      return 'written';
    });
    for (let step = 0; attempts.length < 9; step++) {
      await new Promise(setImmediate);
      clock.advance(100);
      expect(step).toBeLessThan(1000);
    }
    expect(await written).toBe('written');
    expect(attempts).toEqual([0, 100, 300, 700, 1500, 3100, 6300, 11_300, 16_300]);
    expect(reported).toEqual(['log_full', ['log_full', 16_300]]);
    expect(outage.error).toBeUndefined();
  });

  it('passes on every other failure', async () => {
    const outage = new StoreOutage({ clock: new ManualClock(), onBegin: () => {}, onEnd: () => {} });
    const lost = new SingletreeError('lease_lost', 'Another process has the thread.');
    await expect(outage.write(() => Promise.reject(lost))).rejects.toBe(lost);
  });

  it('rejects pending writes on close', async () => {
    const clock = new ManualClock();
    const outage = new StoreOutage({ clock, onBegin: () => {}, onEnd: () => {} });
    const written = outage.write(() => Promise.reject(full));
    await expect.poll(() => clock.timers).toBe(1);
    outage.close();
    await expect(written).rejects.toBe(full);
    expect(clock.timers).toBe(0);
  });
});
