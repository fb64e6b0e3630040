import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { type LoggedEvent, OrderChecker, type OrderViolation } from '../../src/events/index.ts';
import { checkStore, type EventLog, PostgresLog, readEvents } from '../../src/log/index.ts';
import { FaultCluster } from '../support/fault-cluster.ts';
import { isInstalled } from '../support/services.ts';
import { causeFaults, createRandom } from './fault-plan.ts';
import { type Conversation, Team } from './team.ts';

const runs = Number(process.env['SINGLETREE_FAULT_RUNS'] ?? 50);
const seconds = Number(process.env['SINGLETREE_FAULT_SECONDS'] ?? 45);
const seed = Number(process.env['SINGLETREE_FAULT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** How long half of the runs may take to begin, runs to end after the last fault, and readers to have all of it. */
const beginMs = 45_000 + runs * 500;
const patienceMs = 45_000 + runs * 500;
const readersMs = 20_000;

const isReady = isInstalled('postgres') && isInstalled('redis');

describe.skipIf(!isReady)('three servers on one PostgreSQL and one Redis', () => {
  let cluster: FaultCluster | undefined;
  afterAll(() => cluster?.close());

  it(`lose and double nothing under faults (seed ${seed})`, {
    timeout: beginMs + seconds * 1000 + patienceMs + readersMs + 120_000,
  }, async () => {
    report([`seed ${seed}, ${runs} conversations, ${seconds} s of faults`]);
    cluster = await FaultCluster.start(['ann=token-of-ann', 'bob=token-of-bob']);
    const team = await Team.join(cluster, createRandom(seed + 1));
    let isOver = false;
    const work = team.converse(runs, () => !isOver);
    // A fault that happens before there are runs tests nothing.
    await vi.waitUntil(() => team.conversations.filter(isBegun).length >= runs / 2, { timeout: beginMs, interval: 20 });
    const faults = await causeFaults(cluster, seed, seconds * 1000);
    isOver = true;
    report([`${faultCount(faults)} faults are over, waiting for the runs`]);
    const log = await PostgresLog.open(cluster.postgres.url);
    try {
      const isDone = async () => {
        await work;
        while (!(await isIdle(log, team))) await delay(200);
      };
      const unfinished = await within(patienceMs, isDone(), () => standing(log, team, cluster));
      const stored = new Map<string, LoggedEvent[]>();
      for (const { id } of team.conversations) {
        const events: LoggedEvent[] = [];
        for await (const event of readEvents(log, id)) events.push(event);
        stored.set(id, events);
      }
      // A log that breaks a rule is the reason when runs do not end.
      for (const own of stored.values()) expect(violations(own)).toEqual([]);
      if (unfinished !== undefined) throw unfinished;
      await team.leave(stored, readersMs);
      const outcomes: string[] = [];
      for (const { id, sent, started, events } of team.conversations) {
        const own = stored.get(id) ?? [];
        expect(own.map(({ seq }) => seq)).toEqual(own.map((_, index) => index + 1));
        expect(events).toEqual(own);
        const starts = idsOf(own, 'harness_start');
        // One message, one run: however often it was sent, whatever server received it, and whether it waited.
        expect(starts).toEqual(expect.arrayContaining(started));
        expect(starts).toHaveLength(sent.length);
        expect(own.flatMap(event => (event.type === 'user' ? [event.id] : []))).toEqual(sent);
        expect(idsOf(own, 'harness_end').toSorted()).toEqual(starts.toSorted());
        for (const event of own) if (event.type === 'user') expect(event).toMatchObject({ by: 'ann' });
        outcomes.push(...checkAnswers(own));
      }
      for (const { threadId, relayId } of team.answered)
        expect(
          (stored.get(threadId) ?? []).filter(event => event.type === 'relay_resolved' && event.relayId === relayId),
        ).toMatchObject([{ outcome: 'approve', by: 'bob' }]);
      const effects = cluster.effects();
      expect(effects.toSorted()).toEqual([...new Set(effects)].toSorted());
      for (const id of succeeded(stored)) expect(effects).toContain(id);
      expect(await checkStore(log)).toMatchObject({ problems: [] });
      expect(faults.size).toBe(12);
      report([
        `seed ${seed}: ${faultCount(faults)} faults in ${seconds} s`,
        ...[...faults].map(([name, count]) => `  ${count} × ${name}`),
        `${team.conversations.length} threads, ${[...stored.values()].flat().length} events, ${team.answered.length} answers`,
        `${idsOf([...stored.values()].flat(), 'harness_start').length} runs of as many messages, which were sent ${team.requests} times`,
        `${outcomes.filter(outcome => outcome === 'expired').length} of ${outcomes.length} questions expired`,
        `${effects.length} effects, none twice`,
      ]);
    } finally {
      await log.close();
    }
  });
});

/** Whether nothing runs and no message waits, also of those that nobody acknowledged. */
async function isIdle(log: EventLog, { conversations }: Team): Promise<boolean> {
  for (const { id } of conversations) {
    const { open } = (await log.getThread(id)) ?? {};
    if (open !== undefined) return false;
  }
  return true;
}

/** How long an answer that was accepted in time may take to be stored while the database fails. */
const storedMs = 10_000;

/** Checks that every question has one outcome and none was approved after it expired; returns the outcomes. */
function checkAnswers(events: readonly LoggedEvent[]): string[] {
  const answers = events.filter(event => event.type === 'relay_resolved');
  const relays = events.filter(event => event.type === 'relay');
  expect(answers.map(({ relayId }) => relayId).toSorted()).toEqual(relays.map(({ id }) => id).toSorted());
  for (const { relayId, outcome, ts } of answers) {
    const { expiresAt } = relays.find(({ id }) => id === relayId) ?? {};
    if (outcome === 'approve' && expiresAt !== undefined)
      expect(Date.parse(ts)).toBeLessThan(Date.parse(expiresAt) + storedMs);
  }
  return answers.map(({ outcome }) => outcome);
}

/** The rules of order that a log breaks: a process that lost a run appends to it, or a call has two results. */
function violations(events: readonly LoggedEvent[]): OrderViolation[] {
  const order = new OrderChecker();
  return events.flatMap(event => order.check(event));
}

/** Whether a run of a conversation is under way, with a first step in the log. */
function isBegun({ events }: Conversation): boolean {
  return events.some(({ type }) => type === 'step_start' || type === 'text');
}

function faultCount(faults: ReadonlyMap<string, number>): number {
  return [...faults.values()].reduce((sum, count) => sum + count, 0);
}

function report(lines: readonly string[]): void {
  process.stderr.write(lines.map(line => `faults: ${line}\n`).join(''));
}

function idsOf(events: readonly LoggedEvent[], type: 'harness_start' | 'harness_end'): string[] {
  return events.filter(event => event.type === type).map(({ runId }) => runId);
}

/** The calls whose tool returned a result. */
function succeeded(stored: ReadonlyMap<string, readonly LoggedEvent[]>): string[] {
  return [...stored.values()].flat().flatMap(event => {
    if (event.type !== 'tool_result') return [];
    return typeof event.output === 'object' && event.output !== null && 'context' in event.output ? [event.id] : [];
  });
}

/** Describes what is not over yet, for the failure of a test. */
async function standing(log: EventLog, { conversations }: Team, cluster: FaultCluster | undefined): Promise<string> {
  const unfinished: string[] = [];
  for (const { id, sent, events } of conversations) {
    const { open, seq } = (await log.getThread(id)) ?? {};
    const ended = idsOf(events, 'harness_end').length;
    if (open === undefined && ended === sent.length) continue;
    const newest = (await log.read(id, { after: (seq ?? 0) - 3 })).map(event => JSON.stringify(event).slice(0, 300));
    const seen = `${events.length} of ${seq} events seen, ${ended} of ${sent.length} messages answered`;
    unfinished.push(`${id}: ${seen}, open ${JSON.stringify(open)}, last\n  ${newest.join('\n  ')}`);
  }
  const outputs = cluster?.servers.map(({ url, stderr }) => `${url}:\n${stderr}`) ?? [];
  return [...unfinished.slice(0, 10), ...outputs].join('\n');
}

/** Resolves with an error when the work is not over in time or fails, else with undefined. */
async function within(ms: number, work: Promise<void>, describeState: () => Promise<string>): Promise<unknown> {
  const timer = new AbortController();
  const late = delay(ms, undefined, { signal: timer.signal }).then(
    async () => new Error(`Runs are not over after ${ms} ms (seed ${seed}).\n${await describeState()}`),
  );
  late.catch(() => {});
  try {
    return await Promise.race([
      work.then(
        () => undefined,
        (error: unknown) => error,
      ),
      late,
    ]);
  } finally {
    timer.abort();
  }
}
