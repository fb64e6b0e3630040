import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type CliAgentOptions, cliAgent } from '../../../src/agents/cli/agent/cli-agent.ts';
import { SessionPool } from '../../../src/agents/cli/live/session-pool.ts';
import { Supervisor } from '../../../src/control/supervision/supervisor.ts';
import { checkOrder, type ContentPart, type EventOf, type LoggedEvent } from '../../../src/events/index.ts';
import { MemoryLog } from '../../../src/log/index.ts';
import { fakeProgram } from './fake-program.ts';

/** A program that speaks the protocol of Claude Code. */
export const executable = fakeProgram('claude', 'fake-claude.mjs');
/** The folder in which it works. */
export const cwd = mkdtempSync(join(tmpdir(), 'singletree-live-'));
/** What the end of a test closes. */
export const closing: (() => Promise<void>)[] = [];
process.once('exit', () => rmSync(cwd, { recursive: true, force: true }));

/** Closes what a test opened. */
export async function closeScenes(): Promise<void> {
  await Promise.all(closing.splice(0).map(close => close()));
}

/** A thread with a supervisor, and an agent over its live channel. */
export async function scene(options: CliAgentOptions = {}) {
  const log = new MemoryLog();
  const sessions = new SessionPool();
  const { id: threadId } = await log.createThread({});
  const settings = { executable, cwd, sessions, stopStepMs: 100, ...options };
  const supervisorOf = () =>
    new Supervisor({ log, checkOrder: true, graceMs: 8_000, agents: () => cliAgent('claude', settings) });
  const state = { supervisor: supervisorOf() };
  closing.push(async () => {
    await state.supervisor.close();
    await sessions.close();
  });
  const find = async (matches: (event: LoggedEvent) => boolean, n = 1) => {
    let count = 0;
    for await (const event of log.tail(threadId, 0)) if (matches(event) && ++count === n) return event;
    throw new Error('The log was closed.');
  };
  const events = async () => {
    await state.supervisor.flush(threadId);
    const all = await log.read(threadId);
    expect(checkOrder(all)).toEqual([]);
    return all;
  };
  return {
    ...state,
    log,
    threadId,
    events,
    find,
    send: (content: string | readonly ContentPart[], more: Partial<CliAgentOptions> & { model?: string } = {}) =>
      state.supervisor.start(threadId, {
        agent: cliAgent('claude', { ...settings, ...more }),
        content,
        ...(more.model !== undefined && { model: more.model }),
      }),
    relay: async (n = 1) => (await find(event => event.type === 'relay', n)) as EventOf<'relay'> & LoggedEvent,
    texts: async (runId: string) =>
      (await events()).flatMap(event => (event.type === 'text' && event.runId === runId ? [event.content] : [])),
    restart: async () => {
      await state.supervisor.close();
      state.supervisor = supervisorOf();
      return state.supervisor;
    },
  };
}
