import {
  CLIENT_INFO_META_KEY,
  type ContentBlock,
  type InputRequiredResult,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { RunHandle } from '../../control/supervision/run-control.ts';
import { runHeader } from '../../control/conversations/inside-run.ts';
import { visibleLine } from '../../base/terminal-text.ts';
import type { Site } from '../site.ts';
import { type McpAccess, type McpCaller, readCaller } from './mcp-access.ts';
import type { McpToolInput, McpToolName } from './mcp-tools.ts';
import { VisibleThreads } from './visible-threads.ts';

/** The connection that a call came through. */
export interface CallingConnection {
  readonly access: McpAccess;
  /** Starts a run; rejects with `too_many_calls` when the connection has too many active runs. */
  startRun(start: () => Promise<RunHandle>): Promise<RunHandle>;
}

/** A call that is being answered. */
export interface McpCall {
  readonly connection: CallingConnection;
  readonly site: Site;
  readonly access: McpAccess;
  readonly threads: VisibleThreads;
  readonly caller: McpCaller;
  readonly signal: AbortSignal;
  /** The user's answers from an earlier attempt of this call. */
  readonly inputResponses: Record<string, unknown> | undefined;
  /** Reports progress to a client that asked for it. */
  readonly report: (message: string) => void;
}

/** The value of a tool, with links to resources. */
export interface ToolAnswer {
  readonly value: object;
  readonly links?: readonly ContentBlock[];
}

/** The handler of each tool. */
export type McpToolHandlers = {
  readonly [Name in McpToolName]: (
    input: McpToolInput<Name>,
    call: McpCall,
  ) => Promise<ToolAnswer | InputRequiredResult>;
};

/** Creates the context of a call. */
export function createCall(
  connection: CallingConnection,
  site: Site,
  server: McpServer,
  { mcpReq, http }: ServerContext,
): McpCall {
  const { access } = connection;
  const marks = http?.req?.headers.get(runHeader) ?? undefined;
  const by = access.scope.by ?? readClientName(server, mcpReq.envelope) ?? 'mcp';
  const { progressToken } = mcpReq._meta ?? {};
  let progress = 0;
  return {
    connection,
    site,
    access,
    threads: new VisibleThreads(site, access),
    caller: readCaller(mcpReq._meta, { marks, by }),
    signal: mcpReq.signal,
    inputResponses: mcpReq.inputResponses,
    report: message => {
      if (progressToken === undefined || mcpReq.signal.aborted) return;
      const params = { progressToken, progress: ++progress, message: site.redactor.text(message) };
      // A disconnected client does not read progress.
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
    },
  };
}

const clientInfo = z.object({ [CLIENT_INFO_META_KEY]: z.object({ name: z.string() }) });

/** Returns the name of the calling program, truncated because the program chooses it. */
function readClientName(server: McpServer, envelope: unknown): string | undefined {
  const shown = clientInfo.safeParse(envelope).data?.[CLIENT_INFO_META_KEY] ?? server.server.getClientVersion();
  return shown === undefined ? undefined : visibleLine(shown.name).slice(0, 100) || undefined;
}
