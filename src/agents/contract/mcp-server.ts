import * as z from 'zod';
import { once } from '../../base/once.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { checkValue } from '../../base/options/check-options.ts';

const text = () => z.string().min(1);
const texts = () => z.record(z.string(), z.string());

/** The settings of a server that runs as a program. */
export const mcpProgramSettings = once(() =>
  z.strictObject({
    type: z.literal('stdio').optional(),
    command: text().describe('the program to run; no shell is involved'),
    args: z.array(z.string()).readonly().optional(),
    env: texts().optional().describe('added to the variables that every program gets, such as PATH and HOME'),
    cwd: text().optional().describe('its working directory; the current one by default'),
  }),
);

/** The settings of a server at an address. */
export const mcpAddressSettings = once(() =>
  z.strictObject({
    type: z.enum(['http', 'streamable-http', 'streamableHttp']).optional(),
    url: z.url({ protocol: /^https?$/ }).describe('the address of its streamable HTTP endpoint'),
    headers: texts().optional().describe('sent with every request'),
  }),
);

const named = once(() => z.looseObject({ name: text() }));

const configShape = once(() => z.looseObject({ mcpServers: z.record(text(), z.unknown()) }));

interface Named {
  readonly name: string;
}

/** An MCP server that runs as a program and communicates over its stdin and stdout. */
export type McpProgram = z.infer<ReturnType<typeof mcpProgramSettings>> & Named;

/** An MCP server at an address, over streamable HTTP. */
export type McpAddress = z.infer<ReturnType<typeof mcpAddressSettings>> & Named;

export type McpServer = McpProgram | McpAddress;

/** The usual JSON shape: servers by name. */
export interface McpServersConfig {
  readonly mcpServers: Readonly<Record<string, Omit<McpProgram, 'name'> | Omit<McpAddress, 'name'>>>;
}

/** Returns the server when it is valid; throws `invalid_argument`, naming the server and the field. */
export function parseMcpServer(value: unknown): McpServer {
  checkValue(named(), value, 'The MCP server');
  const { name, ...settings } = value as Named;
  const owner = `The MCP server "${name}"`;
  const isProgram = 'command' in settings;
  if (isProgram === 'url' in settings)
    throw new SingletreeError(
      'invalid_argument',
      `${owner} is not configured correctly: set either a "command" to run or a "url" to call.`,
    );
  checkValue(isProgram ? mcpProgramSettings() : mcpAddressSettings(), settings, owner);
  return value as McpServer;
}

/** Returns the servers of a configuration, not validated individually; throws `invalid_argument` for another shape. */
export function mcpServersIn(config: unknown): ReadonlyMap<string, unknown> {
  checkValue(configShape(), config, 'The MCP configuration');
  const { mcpServers } = config as McpServersConfig;
  return new Map(Object.entries(mcpServers).map(([name, server]) => [name, { ...server, name }]));
}
