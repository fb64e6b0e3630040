import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { SqliteLog } from 'singletree/log';
import { race } from './measure.ts';
import type { Result } from './result.ts';
import { temporaryFolder } from './temporary-folder.ts';

const command = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const library = (path: string) => import.meta.resolve(`@modelcontextprotocol/server${path}`);
const threads = 2_000;

/** A server of the library with one tool: what any server on it takes to start. */
const bareServer = `
import { McpServer } from '${library('')}';
import { serveStdio } from '${library('/stdio')}';
serveStdio(() => {
  const server = new McpServer({ name: 'bare', version: '1.0.0' });
  server.registerTool('ping', {}, () => ({ content: [] }));
  return server;
});
`;

/** `singletree mcp` lists its tools before it opens the log: agents ask their model soon after they started it. */
export async function* mcpStart(): AsyncGenerator<Result> {
  const folder = temporaryFolder();
  try {
    const db = folder.path('threads.db');
    const log = new SqliteLog(db);
    for (let at = 0; at < threads; at++) {
      const { id } = await log.createThread({ title: `Thread ${at}` });
      await log.append(id, [{ type: 'user', runId: 'r', content: `message ${at}` }]);
    }
    await log.close();
    const bare = folder.path('bare.mjs');
    writeFileSync(bare, bareServer);
    const { ours, peer } = await race(
      { ours: () => listTools([command, 'mcp', '--db', db]), peer: () => listTools([bare]) },
      { warmups: 1, rounds: 7 },
    );
    const size = `a log of ${threads} threads`;
    const claim = 'start of singletree mcp until its tools are listed';
    yield { claim, size, unit: 'ms', ours, peer, goal: { atMost: 2 } };
  } finally {
    folder.remove();
  }
}

/** Starts a server, waits for its list of tools, and ends it. */
async function listTools(args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const send = (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'bench', version: '1' };
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/list' });
  for await (const line of createInterface(child.stdout)) if ((JSON.parse(line) as { id?: number }).id === 2) break;
  child.kill();
  await once(child, 'exit');
}
