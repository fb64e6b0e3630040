import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cliAdapters } from '../../src/agents/cli/adapters/cli-adapters.ts';
import { cliAgent, SessionPool } from '../../src/agents/index.ts';
import type { AgentEvent } from '../../src/events/index.ts';

const cwd = mkdtempSync(join(tmpdir(), 'singletree-missing-'));
afterAll(() => rmSync(cwd, { recursive: true }));

const channels = Object.values(cliAdapters).flatMap(({ id, live, isLiveOnly }) => [
  ...(isLiveOnly === true ? [] : [{ id, channel: 'print' as const }]),
  ...(live === undefined ? [] : [{ id, channel: 'live' as const }]),
]);

describe.each(channels)('$id over the channel $channel, which is not installed', ({ id, channel }) => {
  it.each([
    ['in the PATH', { env: { PATH: join(cwd, 'bin'), HOME: cwd } }],
    ['by its path', { executable: join(cwd, 'bin', id), env: { HOME: cwd } }],
  ])('says so when it is looked for %s', async (_, options) => {
    const events: AgentEvent[] = [];
    const sessions = new SessionPool({ size: 0 });
    const agent = cliAgent(id, { cwd, channel, sessions, ...options });
    for await (const event of agent.invoke({ conversation: { messages: [{ role: 'user', content: 'hi' }] } }))
      events.push(event);
    const errors = events.filter(event => event.type === 'error');
    expect(errors).toMatchObject([{ code: 'not_installed', fatal: true, message: expect.stringContaining('Install') }]);
    expect(events.at(-1)).toMatchObject({ type: 'harness_end', reason: 'error' });
  });
});
