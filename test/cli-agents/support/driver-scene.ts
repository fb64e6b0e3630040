import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect } from 'vitest';
import { adapterNamed } from '../../../src/agents/cli/adapters/adapter-named.ts';
import { externalAgent } from '../../../src/agents/cli/agent/cli-agent.ts';
import type { CliAgentOptions } from '../../../src/agents/cli/agent/cli-agent-options.ts';
import type { CliAdapter } from '../../../src/agents/cli/contract/cli-adapter.ts';
import { SessionPool } from '../../../src/agents/cli/live/session-pool.ts';
import { Conversations } from '../../../src/control/conversations/conversations.ts';
import { Supervisor } from '../../../src/control/supervision/supervisor.ts';
import { checkOrder, type ContentPart, type EventOf, type LoggedEvent } from '../../../src/events/index.ts';
import { MemoryLog } from '../../../src/log/index.ts';
import { fakeProgram } from './fake-program.ts';

/** Opens threads with a supervisor and an agent over its live channel, for one test file; closes them after each test. */
export function driverScenes(script = 'fake-claude.mjs') {
  const executable = fakeProgram('claude', script);
  const cwd = mkdtempSync(join(tmpdir(), 'singletree-live-'));
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => void (await Promise.all(closing.splice(0).map(close => close()))));
  afterAll(() => rmSync(cwd, { recursive: true, force: true }));
  async function scene(options: CliAgentOptions & { readonly adapter?: CliAdapter } = {}) {
    const log = new MemoryLog();
    const sessions = new SessionPool();
    const { id: threadId } = await log.createThread({});
    const { adapter = adapterNamed('claude'), ...given } = options;
    const settings = { executable, cwd, sessions, stopStepMs: 100, ...given };
    const agentOf = (more: Partial<CliAgentOptions> = {}) => externalAgent(adapter, { ...settings, ...more });
    const supervisorOf = () => new Supervisor({ log, checkOrder: true, graceMs: 8_000, agents: () => agentOf() });
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
    /** Sends a message as a person does; one that the run does not read begins the next turn. */
    const say = (content: string) => {
      const agents = { list: () => [agentOf()], get: () => agentOf() };
      const conversations = new Conversations({ log, control: state.supervisor, agents });
      conversations.deliver();
      return conversations.send(threadId, { content });
    };
    return {
      ...state,
      say,
      log,
      threadId,
      sessions,
      agentOf,
      events,
      find,
      send: (content: string | readonly ContentPart[], more: Partial<CliAgentOptions> & { model?: string } = {}) =>
        state.supervisor.start(threadId, {
          agent: agentOf(more),
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
  return { executable, cwd, closing, scene };
}
