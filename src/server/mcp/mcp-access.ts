import * as z from 'zod';
import type { Scope } from '../security/caller.ts';
import type { RunCaller } from '../../control/conversations/inside-run.ts';
import { defined } from '../../base/defined.ts';
import { parseTraceparent, type RunTrace } from '../../events/trace-context.ts';

/** The grants of MCP clients in addition to reading: run and steer agents, or answer relays. */
export const mcpGrants = ['run', 'answer'] as const;

export type McpGrant = (typeof mcpGrants)[number];

/** The visibility and grants of one connection. */
export interface McpAccess {
  readonly scope: Scope;
  readonly allow: readonly McpGrant[];
  /** Only the threads that were started in this folder, and the folder of new ones; all threads when absent. */
  readonly folder?: string | undefined;
  /** Identifies the connection, which must not approve relays of runs that it requested. */
  readonly connection: string;
}

const id = z.string().min(1).max(200).optional().catch(undefined);

/** The metadata with which Claude Code and Codex identify the call, turn and session of each request. */
const meta = z.object({
  'claudecode/toolUseId': id,
  callId: id,
  threadId: id,
  sessionId: id,
  traceparent: id,
  'x-codex-turn-metadata': z.object({ session_id: id, thread_id: id }).optional().catch(undefined),
});

/** A program that calls a tool. */
export interface McpCaller extends RunCaller {
  readonly ids: readonly string[];
  /** The author of what it adds to a log. */
  readonly by: string;
  /** The trace that its runs continue. */
  readonly trace?: RunTrace;
}

/** Returns the caller from the `_meta` of a request; ignores unknown and malformed fields. */
export function readCaller(
  shown: unknown,
  { marks, by }: { readonly marks: string | undefined; readonly by: string },
): McpCaller {
  const { 'x-codex-turn-metadata': turn, traceparent, ...own } = meta.safeParse(shown ?? {}).data ?? {};
  const ids = [...Object.values(own), turn?.session_id, turn?.thread_id].filter(each => each !== undefined);
  return { marks, by, ids: [...new Set(ids)], ...defined({ trace: parseTraceparent(traceparent) }) };
}
