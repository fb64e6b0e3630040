import { randomUUID } from 'node:crypto';
import { allRights } from '../../server/security/caller.ts';
import { realpathSync } from 'node:fs';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { printNotice } from '../../control/standard-output.ts';
import { McpConnection } from '../../server/mcp/mcp-connection.ts';
import { serveConnection } from '../../server/mcp/serve-connection.ts';
import { packageVersion } from '../package-version.ts';
import type { McpOptions } from '../mcp.ts';
import type { OpenedLog } from './open-log.ts';

/**
 * Serves the threads of a folder on standard input and output until the input ends; standard output has messages of the
 * protocol only. The log, the agents and their modules are loaded by the first call that needs them.
 */
export async function serveMcp(options: McpOptions): Promise<void> {
  const { all = false, allow = [] } = options;
  const folder = realpathSync(options.folder);
  let opened: Promise<OpenedLog> | undefined;
  const connection = new McpConnection(
    async () => {
      const { openLog } = await import('./open-log.ts');
      opened = openLog({ ...options, folder });
      return (await opened).site;
    },
    { scope: { rights: allRights }, allow, connection: `process:${randomUUID()}`, ...(!all && { folder }) },
  );
  const closed = new Promise<void>(resolve => {
    process.stdin.once('close', () => resolve());
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  const handle = serveConnection(connection, {
    version: packageVersion(),
    transport: new StdioServerTransport(),
    onerror: error => printNotice(error.message),
  });
  await closed;
  await handle.close();
  // Runs that can be resumed stay open.
  await (await opened?.catch(() => undefined))?.close();
}
