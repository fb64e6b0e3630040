import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ToolReturn } from '../../src/agents/contract/tool-values.ts';
import type { Tool, ToolCall } from '../../src/agents/contract/agent.ts';
import type { McpAddress, McpProgram } from '../../src/agents/contract/mcp-server.ts';

const script = fileURLToPath(new URL('mcp-server.mjs', import.meta.url));

/** The test server as a program; see the script for its modes. */
export function testProgram(mode = 'stdio', more: Partial<McpProgram> = {}): McpProgram {
  return { name: 'test', command: process.execPath, args: [script, mode], ...more };
}

/** The test server on a socket, in a process of its own. */
export interface HttpServer {
  readonly address: McpAddress;
  readonly process: ChildProcess;
}

export async function startHttpServer(mode = 'http', env: Readonly<Record<string, string>> = {}): Promise<HttpServer> {
  const child = spawn(process.execPath, [script, mode], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  return { process: child, address: { name: 'test', url: `http://127.0.0.1:${port.toString().trim()}/mcp` } };
}

/** Whether a process runs; one that ended but that nobody waited for does not. */
export function isAlive(pid: number): boolean {
  return /^[^Z]/.test(spawnSync('ps', ['-o', 'stat=', '-p', `${pid}`], { encoding: 'utf8' }).stdout.trim());
}

/** Calls a tool as the loop does. */
export async function callTool(
  source: { tools(): readonly Tool[] },
  name: string,
  input: unknown = {},
  more: Partial<ToolCall> = {},
): Promise<ToolReturn> {
  const tool = source.tools().find(tool => tool.name.endsWith(`__${name}`));
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  return tool.execute(input, { ...context, ...more });
}

/** What tools of servers use of their context. */
const context = {
  signal: new AbortController().signal,
  progress: () => {},
} as Partial<ToolCall> as ToolCall;
