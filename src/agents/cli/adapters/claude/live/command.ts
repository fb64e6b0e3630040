import { join } from 'node:path';
import type { SessionMcpServers } from '../../../../contract/host.ts';
import type { LiveCommand, LiveStart } from '../../../contract/live-channel.ts';

/** The file of a session's MCP servers. */
const serversFile = 'mcp-servers.json';

/** The arguments of a live session of Claude Code. */
export function claudeLiveCommand(start: LiveStart): LiveCommand {
  const { model, sessionId, sessionPath, fork, mode, yolo, mcpServers, folder, extraArgs = [] } = start;
  return {
    args: [
      // Without its terminal interface.
      '--print',
      // Messages and control requests as lines, in both directions.
      '--input-format',
      'stream-json',
      '--output-format',
      'stream-json',
      '--verbose',
      // Text as it is written.
      '--include-partial-messages',
      // Confirms each user message when the model reads it.
      '--replay-user-messages',
      // Asks over the channel. Without this flag, the program rejects every call that needs approval.
      '--permission-prompt-tool',
      'stdio',
      // Overrides the permission mode of the user's settings.
      ...(yolo === true ? ['--dangerously-skip-permissions'] : ['--permission-mode', mode ?? 'default']),
      // The model to use.
      ...(model === undefined ? [] : ['--model', model]),
      // Resumes an existing session, or a copy of it with a new id.
      ...(sessionId === undefined ? [] : ['--resume', sessionPath ?? sessionId]),
      ...(sessionId !== undefined && fork === true ? ['--fork-session'] : []),
      // Adds the MCP servers of this session to those of the user's settings.
      ...(mcpServers === undefined ? [] : ['--mcp-config', join(folder, serversFile)]),
      ...extraArgs,
    ],
    ...(mcpServers !== undefined && {
      files: { [serversFile]: JSON.stringify({ mcpServers: listServers(mcpServers) }) },
    }),
  };
}

/** It takes a server without a type for a program. */
function listServers(servers: SessionMcpServers): Readonly<Record<string, unknown>> {
  const typed = Object.entries(servers).map(([name, server]) => [
    name,
    'url' in server ? { ...server, type: 'http' } : server,
  ]);
  return Object.fromEntries(typed) as Readonly<Record<string, unknown>>;
}
