import type { Client } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { EventLog } from '../../src/log/index.ts';
import { type McpScene, startMcpScene, useTool } from '../support/mcp-clients.ts';

let scene: McpScene | undefined;
afterEach(async () => {
  await scene?.close();
  scene = undefined;
});

/** Collects the resources that are reported as changed. */
function collectChanges(client: Client): string[] {
  const seen: string[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) => void seen.push(uri));
  return seen;
}

/** Renames threads until something is reported: a feed reports what changes after it was joined. */
async function renameUntilSeen(log: EventLog, seen: readonly string[], ...ids: string[]): Promise<void> {
  let count = 0;
  await vi.waitFor(async () => {
    for (const id of ids) await log.updateThread(id, { title: `Title ${count++}` });
    expect(seen.length).toBeGreaterThan(0);
  }, 10_000);
}

describe('changes of threads', () => {
  it('reach a client of 2025 on a channel, for the resources that it follows', async () => {
    const { overChannel, log } = (scene = await startMcpScene([]));
    const client = await overChannel('legacy');
    const [followed, other] = [await log.createThread(), await log.createThread()];
    await useTool(client, 'thread_list');
    const uri = `singletree://threads/${followed.id}`;
    await client.subscribeResource({ uri });
    const seen = collectChanges(client);
    await renameUntilSeen(log, seen, other.id, followed.id);
    expect(new Set(seen)).toEqual(new Set([uri]));
  });

  it.each(['a channel', 'HTTP'])('reach a client of 2026 over %s, only those of its own threads', async transport => {
    const tokens = [
      { token: 'token-of-ann', name: 'ann', resourceId: 'ann' },
      { token: 'token-of-bob', name: 'bob', resourceId: 'bob' },
    ];
    const started = (scene = await startMcpScene([], transport === 'HTTP' ? { tokens } : {}));
    const { log } = started;
    const client = await (transport === 'HTTP'
      ? started.overHttp('modern', { token: 'token-of-ann' })
      : started.overChannel('modern'));
    const [own, others] = [
      await log.createThread({ resourceId: 'ann' }),
      await log.createThread({ resourceId: 'bob' }),
    ];
    const [uri, hidden] = [own, others].map(({ id }) => `singletree://threads/${id}`) as [string, string];
    await useTool(client, 'thread_list');
    const seen = collectChanges(client);
    await client.listen({
      resourceSubscriptions: transport === 'HTTP' ? [uri, hidden] : [uri],
      resourcesListChanged: true,
    });
    await renameUntilSeen(log, seen, others.id, own.id);
    expect(new Set(seen)).toEqual(new Set([uri]));
  });
});
