import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { cliAdapters } from '../../src/agents/cli/adapters/cli-adapters.ts';
import { toWrittenMessages, type WrittenMessage } from '../../src/agents/cli/sessions/written-session.ts';
import { writableSessions } from '../../src/cli/threads/commands.ts';
import { importSession } from '../../src/control/import/import-session.ts';
import { findSessions, importableAgents } from '../../src/control/import/session-source.ts';
import type { LoggedEvent } from '../../src/events/index.ts';
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
