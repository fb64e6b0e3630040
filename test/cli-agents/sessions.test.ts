import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { importSession } from '../../src/control/import/import-session.ts';
import { findSessions, importableAgents, type SessionSource } from '../../src/control/import/session-source.ts';
import type { Agent } from '../../src/agents/index.ts';
import { Supervisor } from '../../src/control/index.ts';
import { createRedactor } from '../../src/agents/redaction/redactor.ts';
import { checkOrder, type LoggedEvent, parseEvent } from '../../src/events/index.ts';
import { createConversation, defaultActive, reduceConversation } from '../../src/graph/index.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { projectThread, runStatus, threadReading } from '../../src/projections/index.ts';
import { lawRuns } from '../support/run-size.ts';
import { mutated, mutationSteps } from '../support/mutated-lines.ts';
import { toLines } from './captures.ts';
import { makeDatabase } from './session-databases.ts';

const fixtures = fileURLToPath(new URL('./session-fixtures', import.meta.url));
const folders: string[] = [];

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sessions-'));
  folders.push(folder);
  return folder;
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

async function sessionsAt(path: string, agentId: string): Promise<SessionSource[]> {
  const found: SessionSource[] = [];
  for await (const source of findSessions({ home: '/nowhere', environment: {}, path }, agentId)) found.push(source);
  return found.toSorted((a, b) => (a.session.id < b.session.id ? -1 : 1));
}

async function allEvents(log: MemoryLog, threadId: string): Promise<LoggedEvent[]> {
  return log.read(threadId, { limit: 100_000 });
}

async function rawText(log: MemoryLog, threadId: string, runId: string): Promise<string> {
  const lines = await log.readRaw(threadId, runId, { limit: 100_000 });
  return Buffer.concat(lines.map(({ line }) => line)).toString('utf8');
}

const databases = mkdtempSync(join(tmpdir(), 'session-databases-'));
const placeOf = (agentId: string) =>
  makeDatabase(agentId, join(fixtures, agentId), databases) ?? join(fixtures, agentId);
afterAll(() => rmSync(databases, { recursive: true }));

const samples = (await Promise.all(importableAgents.map(agentId => sessionsAt(placeOf(agentId), agentId)))).flat();

describe.each(samples.map(source => ({ name: `${source.agentId} ${source.session.id}`, source })))(
  'the session $name',
  ({ source }) => {
    it('becomes these events', async () => {
      const log = new MemoryLog();
      const { threadId = '', status } = await importSession(log, source);
      expect(status).toBe('imported');
      const events = await allEvents(log, threadId);
      const file = join(fixtures, 'expected', `${source.agentId}-${source.session.id}.jsonl`);
      await expect(toLines(events)).toMatchFileSnapshot(file);
      expect(events.map(event => parseEvent(event))).toEqual(events);
      expect(checkOrder(events)).toEqual([]);
    });

    it('has no power, its own times, and nothing is imported twice', async () => {
      const log = new MemoryLog();
      const { threadId = '', unknown, unreadable } = await importSession(log, source);
      expect([unknown, unreadable.count]).toEqual([{}, 0]);
      const thread = await log.getThread(threadId);
      expect(thread?.importedSeq).toBe(thread?.seq);
      expect(thread?.open).toBeUndefined();
      const times = (await allEvents(log, threadId)).map(({ ts }) => ts).toSorted();
      expect(thread?.updatedAt.slice(0, 10)).toBe(times.at(-1)?.slice(0, 10));
      expect(await importSession(log, source)).toMatchObject({ threadId, status: 'unchanged', events: 0 });
      const changed = { ...source, session: { ...source.session, version: 'touched' } };
      expect(await importSession(log, changed)).toMatchObject({ threadId, status: 'unchanged', events: 0 });
    });
  },
);

/** The sessions that are one file, to be cut and changed. */
const fileSamples = samples.filter(({ session }) => session.path.endsWith('.jsonl'));

/** What is said and done, without the ids and the borders of runs. */
function talk(events: readonly LoggedEvent[]): unknown[][] {
  return events.flatMap(event => {
    if (event.type === 'user' || event.type === 'text' || event.type === 'reasoning')
      return [[event.type, event.content]];
    if (event.type === 'tool_call') return [[event.type, event.name, event.input]];
    if (event.type === 'tool_result') return [[event.type, event.name, event.output]];
    return [];
  });
}

function usedTokens(events: readonly LoggedEvent[]): number {
  return events.reduce((sum, event) => sum + (event.type === 'usage' ? event.inputTokens : 0), 0);
}

/** Copies the folder of a sample, so that its files can be changed. */
function copySample({ agentId, session }: SessionSource): { path: string; source: () => Promise<SessionSource> } {
  const folder = temporaryFolder();
  cpSync(join(fixtures, agentId), folder, { recursive: true });
  const path = join(folder, session.path.slice(join(fixtures, agentId).length + 1));
  let version = 0;
  return {
    path,
    source: async () => {
      const [found] = await sessionsAt(path, agentId);
      if (found === undefined) throw new Error(`no session at ${path}`);
      return { ...found, session: { ...found.session, version: `${++version}` } };
    },
  };
}

describe('a database of sessions', () => {
  it('is read from a copy with its write-ahead log, and is not touched', async () => {
    const path = join(databases, 'goose.db');
    const state = () =>
      ['', '-wal'].map(end => [statSync(`${path}${end}`).mtimeMs, readFileSync(`${path}${end}`).length]);
    const before = state();
    expect(before[1]?.[1]).toBeGreaterThan(0);
    const [source] = await sessionsAt(path, 'goose');
    if (source === undefined) throw new Error('no session');
    expect(await importSession(new MemoryLog(), source)).toMatchObject({ status: 'imported' });
    expect(state()).toEqual(before);
  });

  it('whose conversation was condensed has a summary, and each message once', async () => {
    const folder = temporaryFolder();
    const path = makeDatabase('goose', join(fixtures, 'goose'), folder, 'compacted-rows.json') ?? '';
    const [source] = await sessionsAt(path, 'goose');
    if (source === undefined) throw new Error('no session');
    const log = new MemoryLog();
    const { threadId = '' } = await importSession(log, source);
    const events = await allEvents(log, threadId);
    expect(talk(events).map(([, content]) => content)).toEqual([
      'FIRST-PROMPT',
      'FIRST-ANSWER',
      'SECOND-PROMPT',
      'SUMMARY-TEXT',
    ]);
    expect(events.filter(({ type }) => type === 'summary')).toMatchObject([
      { text: 'Scripted title', kind: 'compaction' },
    ]);
  });
});

describe('a session of Codex', () => {
  const line = (type: string, payload: object, ordinal: number) =>
    `${JSON.stringify({ timestamp: '2026-01-01T00:00:00.000Z', ordinal, type, payload })}\n`;
  const said = (role: string, text: string, ordinal: number) =>
    line(
      'response_item',
      { type: 'message', role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] },
      ordinal,
    );

  it('that was forked has the conversation of its parent up to there, and a compaction is a summary', async () => {
    const folder = temporaryFolder();
    const [parent, child] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
    writeFileSync(
      join(folder, `rollout-${parent}.jsonl`),
      [
        line('session_meta', { id: parent, cwd: '/w' }, 0),
        said('user', 'one', 1),
        said('assistant', 'first', 2),
        said('user', 'not in the fork', 3),
      ].join(''),
    );
    const base = { thread_id: parent, end_ordinal_exclusive: 3 };
    writeFileSync(
      join(folder, `rollout-${child}.jsonl`),
      [
        line('session_meta', { id: child, cwd: '/w', history_base: base }, 3),
        said('user', 'two', 4),
        said('assistant', 'second', 5),
        line('compacted', { message: 'what was said' }, 6),
      ].join(''),
    );
    const source = (await sessionsAt(folder, 'codex')).find(({ session }) => session.id === child);
    if (source === undefined) throw new Error('no session');
    const log = new MemoryLog();
    const { threadId = '' } = await importSession(log, source);
    const events = await allEvents(log, threadId);
    expect(talk(events).map(([, content]) => content)).toEqual(['one', 'first', 'two', 'second']);
    expect(events.filter(({ type }) => type === 'summary')).toMatchObject([
      { text: 'what was said', covers: { from: `${child}:user`, to: `${child}/3/1` } },
    ]);
  });
});

describe('a session of Gemini', () => {
  it('that was rewound goes on in a branch', async () => {
    const folder = temporaryFolder();
    const message = (id: string, type: string, text: string) =>
      JSON.stringify({ id, type, timestamp: '2026-01-01T00:00:00Z', content: type === 'user' ? [{ text }] : text });
    writeFileSync(
      join(folder, 'session-2026-01-01T00-00-abcdef01.jsonl'),
      [
        '{"sessionId":"abcdef01","projectHash":"x","startTime":"2026-01-01T00:00:00Z","kind":"main"}',
        message('u1', 'user', 'one'),
        message('g1', 'gemini', 'first'),
        message('u2', 'user', 'two'),
        message('g2', 'gemini', 'second'),
        '{"$rewindTo":"u2"}',
        message('u3', 'user', 'two again'),
        message('g3', 'gemini', 'third'),
      ]
        .map(text => `${text}\n`)
        .join(''),
    );
    const [source] = await sessionsAt(folder, 'gemini');
    if (source === undefined) throw new Error('no session');
    const log = new MemoryLog();
    const { threadId = '' } = await importSession(log, source);
    const users = (await allEvents(log, threadId)).flatMap(event =>
      event.type === 'user' ? [[event.content, event.parentMessageId]] : [],
    );
    expect(users).toEqual([
      ['one', undefined],
      ['two', undefined],
      ['two again', 'abcdef01/1'],
    ]);
  });
});

describe('a session file', () => {
  it('is in the raw lines of its thread, byte for byte, with those of its subagents', async () => {
    for (const source of fileSamples) {
      const log = new MemoryLog();
      const { threadId = '' } = await importSession(log, source);
      expect(await rawText(log, threadId, source.session.id)).toBe(readFileSync(source.session.path, 'utf8'));
    }
    const log = new MemoryLog();
    const [source] = samples.filter(({ session }) => session.id.startsWith('2aeda645'));
    if (source === undefined) throw new Error('no sample with a subagent');
    const { threadId = '' } = await importSession(log, source);
    const start = (await allEvents(log, threadId)).find(
      event => event.type === 'harness_start' && event.agentId === 'general-purpose',
    );
    const file = join(source.session.path.replace('.jsonl', ''), 'subagents', 'agent-ab6cd7e39945e6b5f.jsonl');
    expect(await rawText(log, threadId, start?.runId ?? '')).toBe(readFileSync(file, 'utf8'));
  });

  it('that grew is continued in its thread, wherever it was cut before', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...fileSamples),
        fc.array(fc.double({ min: 0.3, max: 1, noNaN: true }), { maxLength: 4 }),
        async (sample, cuts) => {
          const { path, source } = copySample(sample);
          const bytes = readFileSync(path);
          const log = new MemoryLog();
          for (const cut of cuts.toSorted((a, b) => a - b)) {
            writeFileSync(path, bytes.subarray(0, Math.floor(bytes.length * cut)));
            await importSession(log, await source());
          }
          writeFileSync(path, bytes);
          const { threadId = '', unreadable } = await importSession(log, await source());
          expect(unreadable.count).toBe(0);
          const whole = new MemoryLog();
          const { threadId: wholeId = '' } = await importSession(whole, sample);
          const events = await allEvents(log, threadId);
          expect(checkOrder(events)).toEqual([]);
          const expected = await allEvents(whole, wholeId);
          expect([talk(events), usedTokens(events)]).toEqual([talk(expected), usedTokens(expected)]);
          // A last line whose line feed was not written yet is stored without it.
          const raw = await log.readRaw(threadId, sample.session.id, { limit: 100_000 });
          expect(raw.map(({ line }) => Buffer.from(line).toString().trimEnd())).toEqual(
            bytes.toString('utf8').trimEnd().split('\n'),
          );
          expect((await log.listThreads()).length).toBe(1);
        },
      ),
      { numRuns: lawRuns(40) },
    );
  });

  it('that was changed in any way is imported as far as it can be read, and nothing is lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...fileSamples), mutationSteps, async (sample, steps) => {
        const { path } = copySample(sample);
        const lines = mutated(readFileSync(path, 'utf8').split('\n').slice(0, -1), steps);
        const text = lines.map(line => `${line}\n`).join('');
        writeFileSync(path, text);
        const log = new MemoryLog();
        const source = { ...sample, session: { ...sample.session, path } };
        const { threadId } = await importSession(log, source);
        if (threadId === undefined) return;
        expect(await rawText(log, threadId, sample.session.id)).toBe(Buffer.from(text).toString('utf8'));
        const events = await allEvents(log, threadId);
        expect(checkOrder(events)).toEqual([]);
        const again = { ...source, session: { ...source.session, version: 'again' } };
        expect(await importSession(log, again)).toMatchObject({ status: 'unchanged', events: 0 });
      }),
      { numRuns: lawRuns(150) },
    );
  });

  it('that goes on after a person continued the thread becomes a branch at the last common record', async () => {
    const [sample] = fileSamples.filter(({ agentId }) => agentId === 'pi');
    if (sample === undefined) throw new Error('no sample');
    const { path, source } = copySample(sample);
    const text = readFileSync(path, 'utf8');
    const lines = text.split('\n').slice(0, -1);
    writeFileSync(
      path,
      lines
        .slice(0, -2)
        .map(line => `${line}\n`)
        .join(''),
    );
    const log = new MemoryLog();
    const { threadId = '' } = await importSession(log, await source());
    const before = await log.getThread(threadId);
    await log.append(threadId, [{ type: 'user', runId: 'mine', content: 'and here?' }]);
    expect(await importSession(log, await source())).toMatchObject({ status: 'unchanged', threadId });
    writeFileSync(path, text);
    const branched = await importSession(log, await source());
    expect(branched).toMatchObject({ status: 'branched', threadId: `${threadId}-2` });
    const branch = await log.getThread(`${threadId}-2`);
    expect(branch).toMatchObject({ branchedFrom: { threadId, seq: before?.seq }, title: before?.title });
    expect(branch?.importedSeq).toBe(branch?.seq);
    expect(JSON.stringify(talk(await allEvents(log, `${threadId}-2`)))).toContain('SECOND-ANSWER.');
    expect(JSON.stringify(talk(await allEvents(log, threadId)))).toContain('and here?');
    expect(await rawText(log, `${threadId}-2`, sample.session.id)).toBe(text);
    appendFileSync(path, '{"type":"label","id":"00000099","parentId":null}\n');
    expect(await importSession(log, await source())).toMatchObject({ status: 'unchanged', threadId: `${threadId}-2` });
  });

  it('that ends in the middle of a turn is shown as interrupted, and ends it when a person continues the thread', async () => {
    const [sample] = fileSamples.filter(({ agentId }) => agentId === 'pi');
    if (sample === undefined) throw new Error('no sample');
    const { path, source } = copySample(sample);
    const text = readFileSync(path, 'utf8');
    const first = text.split('\n').slice(0, 5);
    writeFileSync(path, first.map(line => `${line}\n`).join(''));
    const log = new MemoryLog();
    const { threadId = '' } = await importSession(log, await source());
    const open = await allEvents(log, threadId);
    expect(open.some(({ type }) => type === 'harness_end')).toBe(false);
    expect(runStatus.view(open.reduce(runStatus.step, runStatus.initial))).toMatchObject([{ status: 'interrupted' }]);
    expect(threadReading.view(open.reduce(threadReading.step, threadReading.initial)).running).toEqual([]);
    const agent: Agent = {
      id: 'mine',
      async *invoke({ run: { runId } }) {
        yield { type: 'text', runId, id: 't', content: 'Here.' };
      },
    };
    const supervisor = new Supervisor({ log });
    await (await supervisor.start(threadId, { agent, content: 'And now?' })).done;
    const added = (await allEvents(log, threadId)).slice(open.length);
    expect(added.slice(0, 2)).toMatchObject([
      { type: 'harness_end', runId: `${sample.session.id}/1`, reason: 'interrupted' },
      { type: 'user', content: 'And now?' },
    ]);
    writeFileSync(path, text);
    expect(await importSession(log, await source())).toMatchObject({ status: 'branched' });
    const branch = await allEvents(log, `${threadId}-2`);
    expect(checkOrder(branch)).toEqual([]);
    expect(JSON.stringify(talk(branch))).toContain('FIRST-ANSWER done.');
    await supervisor.close();
  });

  it('has its secrets replaced when that is asked for, in events and raw lines', async () => {
    const [source] = fileSamples.filter(({ agentId }) => agentId === 'pi');
    if (source === undefined) throw new Error('no sample');
    const log = new MemoryLog();
    const redactor = createRedactor(['FIRST-ANSWER']);
    const { threadId = '', secrets } = await importSession(log, source, { redactor });
    expect(secrets).toBe(1);
    expect(JSON.stringify(await allEvents(log, threadId))).not.toContain('FIRST-ANSWER');
    expect(await rawText(log, threadId, source.session.id)).toContain('[redacted] done.');
  });

  it('shows its branches as siblings', async () => {
    const folder = temporaryFolder();
    const entry = (id: string, parentId: string | null, role: string, text: string) =>
      `${JSON.stringify({ type: 'message', id, parentId, timestamp: '2026-01-01T00:00:00Z', message: { role, content: [{ type: 'text', text }], usage: { input: 1, output: 1 }, stopReason: 'stop' } })}\n`;
    writeFileSync(
      join(folder, 's.jsonl'),
      [
        '{"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T00:00:00Z","cwd":"/w"}\n',
        entry('a', null, 'user', 'one'),
        entry('b', 'a', 'assistant', 'first answer'),
        entry('c', 'b', 'user', 'two'),
        entry('d', 'c', 'assistant', 'second answer'),
        entry('e', 'b', 'user', 'two, edited'),
        entry('f', 'e', 'assistant', 'third answer'),
        entry('g', 'a', 'assistant', 'another first answer'),
      ].join(''),
    );
    const [source] = await sessionsAt(folder, 'pi');
    if (source === undefined) throw new Error('not found');
    const log = new MemoryLog();
    const { threadId = '' } = await importSession(log, source);
    const events = await allEvents(log, threadId);
    const conversation = events.reduce(reduceConversation, createConversation());
    const shown = JSON.stringify(projectThread(conversation, defaultActive(conversation)));
    expect(shown).toContain('another first answer');
    expect(shown).not.toContain('two');
    const parents = events.flatMap(event => (event.type === 'user' ? [event.parentMessageId] : []));
    expect(parents).toEqual([undefined, undefined, 's1/1']);
  });
});
