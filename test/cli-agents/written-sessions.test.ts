import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { cliAdapters } from '../../src/agents/cli/adapters/cli-adapters.ts';
import { toWrittenMessages, type WrittenMessage } from '../../src/agents/cli/sessions/written-session.ts';
import { writableSessions } from '../../src/cli/threads/commands.ts';
import { importSession } from '../../src/control/import/import-session.ts';
import { findSessions, importableAgents } from '../../src/control/import/session-source.ts';
import type { AgentEvent, LoggedEvent } from '../../src/events/index.ts';
import { createConversation, defaultActive, reduceConversation } from '../../src/graph/index.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { projectMessages } from '../../src/projections/index.ts';
import { conversationLog } from '../support/random-conversations.ts';
import { lawRuns } from '../support/run-size.ts';
import { importDocument } from './session-databases.ts';

const folder = mkdtempSync(join(tmpdir(), 'written-sessions-'));
afterAll(() => rmSync(folder, { recursive: true }));
let count = 0;

/** What another agent is handed of a log. */
function handed(events: readonly LoggedEvent[]): WrittenMessage[] {
  const conversation = events.reduce(reduceConversation, createConversation());
  return toWrittenMessages(projectMessages(conversation, defaultActive(conversation)));
}

/** What is said and done, in order: neither ids nor the borders of messages. */
function talk(messages: readonly WrittenMessage[]): unknown[] {
  const list: unknown[][] = [];
  for (const { role, parts } of messages)
    for (const part of parts) {
      const last = list.at(-1);
      if (part.type === 'call') list.push(['call', part.name, part.input, part.output]);
      else if (part.type !== 'text') list.push([role, part.type, part.data, part.mediaType]);
      else if (last?.[0] === role && last[1] === 'text')
        last[2] = `${String(last[2])}${part.text}`.replaceAll(/\s+/g, '');
      else list.push([role, 'text', part.text.replaceAll(/\s+/g, '')]);
    }
  return list;
}

/** A call of an agent and what happens in it: a subagent may work, which has calls and subagents of its own. */
interface Work {
  readonly answer: string;
  readonly subagent: readonly Work[] | undefined;
}

const { work } = fc.letrec<{ work: Work; all: readonly Work[] }>(tie => ({
  all: fc.array(tie('work'), { maxLength: 3 }),
  work: fc.record({
    answer: fc.constantFrom('found', 'nothing', ''),
    subagent: fc.option(tie('all'), { nil: undefined, depthSize: 'small', maxDepth: 3 }),
  }),
}));

/** The events of a turn with its subagents; calls of one agent may be made at once, and then end in reverse order. */
function workEvents(works: readonly Work[], isParallel: boolean): LoggedEvent[] {
  const events: AgentEvent[] = [];
  let count = 0;
  const play = (runId: string, own: readonly Work[], depth: number): void => {
    const calls = own.map(each => ({ ...each, id: `${runId}/call-${++count}`, name: each.subagent ? 'task' : 'look' }));
    const begin = ({ id, name }: (typeof calls)[number]) =>
      events.push({ type: 'tool_call', runId, id, name, input: { id } });
    const end = ({ id, name, answer, subagent }: (typeof calls)[number]) => {
      if (subagent !== undefined) {
        const child = `child-${++count}`;
        events.push({ type: 'harness_start', runId: child, agentId: 'helper', parentId: id });
        play(child, subagent, depth + 1);
        events.push({ type: 'harness_end', runId: child, agentId: 'helper', reason: 'complete' });
      }
      events.push({ type: 'tool_result', runId, id, name, output: { context: `${answer} ${id}` } });
    };
    events.push({ type: 'text', runId, id: `${runId}/before`, content: `Level ${depth} begins.` });
    if (isParallel) calls.forEach(begin);
    for (const each of isParallel ? calls.toReversed() : calls) {
      if (!isParallel) begin(each);
      end(each);
    }
    events.push({ type: 'text', runId, id: `${runId}/after`, content: `Level ${depth} ends.` });
  };
  events.push({ type: 'user', runId: 'asked', content: 'Look everywhere.' });
  events.push({ type: 'harness_start', runId: 'run', agentId: 'main', parentId: 'asked:user' });
  play('run', works, 0);
  events.push({ type: 'harness_end', runId: 'run', agentId: 'main', reason: 'complete' });
  return events.map((event, index) => ({ ...event, seq: index + 1, ts: new Date(1e12 + index).toISOString() }));
}

/** The calls of a conversation with their results. */
const callsIn = (messages: readonly WrittenMessage[]) =>
  messages.flatMap(({ parts }) => parts.flatMap(part => (part.type === 'call' ? [[part.name, part.output]] : [])));

const recorded = fileURLToPath(new URL('./session-fixtures/expected', import.meta.url));
/** The logs of the real sessions of all programs, most of them with subagents. */
const recordedLogs = readdirSync(recorded).map(name => ({
  name,
  events: readFileSync(join(recorded, name), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as LoggedEvent),
}));
const hasSubagent = (events: readonly LoggedEvent[]) => {
  const calls = new Set(events.flatMap(event => (event.type === 'tool_call' ? event.id : [])));
  return events.some(event => event.type === 'harness_start' && calls.has(event.parentId ?? ''));
};

/** Writes a session of an agent and reads it again. */
async function readBack(agentId: string, messages: readonly WrittenMessage[]): Promise<WrittenMessage[]> {
  const place = join(folder, String(++count));
  mkdirSync(place);
  const format = cliAdapters[agentId]?.session ?? expect.fail(agentId);
  const written = format.write({
    messages,
    cwd: '/project',
    time: Date.parse('2026-01-01T00:00:00Z'),
    findFolder: () => place,
  });
  // Cline has a folder for each session.
  const own = join(place, written.sessionId);
  mkdirSync(own);
  for (const { name, text } of written.files) writeFileSync(join(own, name), text);
  const path = importDocument(agentId, JSON.parse(written.files[0]?.text.split('\n')[0] ?? ''), place) ?? place;
  const log = new MemoryLog();
  for await (const source of findSessions({ home: '/nowhere', environment: {}, path }, agentId)) {
    const { threadId = '', unknown, unreadable } = await importSession(log, source);
    expect([unknown, unreadable.count]).toEqual([{}, 0]);
    return handed(await log.read(threadId, { limit: 100_000 }));
  }
  return expect.fail('no session was found');
}

it('the sessions that `singletree export` writes are those of all agents whose sessions can be read', () => {
  expect(writableSessions.toSorted()).toEqual(importableAgents.toSorted());
});

it('the logs of real sessions have subagents of most programs', () => {
  const names = recordedLogs.filter(({ events }) => hasSubagent(events)).map(({ name }) => name.split('-')[0]);
  expect(new Set(names).size).toBeGreaterThanOrEqual(4);
});

describe.each(importableAgents)('a conversation that is written as a session of %s', agentId => {
  it('has the same texts, calls and results in the same order when it is read again', async () => {
    await fc.assert(
      fc.asyncProperty(conversationLog(60, 10), async events => {
        const messages = handed(events);
        fc.pre(messages.length > 0);
        expect(talk(await readBack(agentId, messages))).toEqual(talk(messages));
      }),
      { numRuns: lawRuns(30) },
    );
  });

  it('has the call and the answer of each subagent in their place, and none of its steps as those of the agent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(work, { minLength: 1, maxLength: 4 }), fc.boolean(), async (works, isParallel) => {
        const messages = handed(workEvents(works, isParallel));
        const again = await readBack(agentId, messages);
        expect(talk(again)).toEqual(talk(messages));
        expect(callsIn(again).map(([name]) => name)).toEqual(works.map(each => (each.subagent ? 'task' : 'look')));
        for (const [index, [, output]] of callsIn(again).entries()) expect(output).toContain(works[index]?.answer);
        expect(JSON.stringify(again)).not.toMatch(/Level [1-9]|child-/);
      }),
      { numRuns: lawRuns(30) },
    );
  });

  it.each(recordedLogs)('has what the log of the real session $name has', async ({ events }) => {
    const messages = handed(events);
    expect(talk(await readBack(agentId, messages))).toEqual(talk(messages));
  });

  it('keeps pictures, calls at once, failures and results without text', async () => {
    const call = { type: 'call', input: { path: 'a' }, isError: false } as const;
    const messages: WrittenMessage[] = [
      {
        role: 'user',
        parts: [
          { type: 'text', text: 'What is this?' },
          { type: 'image', data: 'aGk=', mediaType: 'image/png' },
        ],
      },
      {
        role: 'assistant',
        parts: [
          { type: 'text', text: 'Let me look.' },
          { ...call, id: 'c1', name: 'read', output: 'line 1\nline 2' },
          { ...call, id: 'c2', name: 'bash', output: 'no such file', isError: true },
        ],
      },
      { role: 'assistant', parts: [{ type: 'text', text: 'A badger.' }] },
      { role: 'user', parts: [{ type: 'text', text: 'Thanks.' }] },
      { role: 'assistant', parts: [{ type: 'text', text: 'You are welcome.' }] },
    ];
    expect(talk(await readBack(agentId, messages))).toEqual(talk(messages));
  });
});
