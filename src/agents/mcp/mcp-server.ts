import * as z from 'zod';
import { SingletreeError } from '../../events/index.ts';

const text = z.string().min(1);
const texts = z.record(z.string(), z.string());

const program = z.object({
  type: z.literal('stdio').optional(),
  command: text.describe('the program to run; no shell is involved'),
  args: z.array(z.string()).readonly().optional(),
  env: texts.optional().describe('added to what every program gets, such as PATH and HOME'),
  cwd: text.optional().describe('the folder it runs in; ours when absent'),
});

const address = z.object({
  type: z.enum(['http', 'streamable-http', 'streamableHttp']).optional(),
  url: z.url({ protocol: /^https?$/ }).describe('where its streamable HTTP endpoint is'),
  headers: texts.optional().describe('sent with every request'),
});

const named = z.object({ name: text });

/** An MCP server that runs as a program and communicates over its stdin and stdout. */
export type McpProgram = z.infer<typeof program> & z.infer<typeof named>;

/** An MCP server at an address, over streamable HTTP. */
export type McpAddress = z.infer<typeof address> & z.infer<typeof named>;

export type McpServer = McpProgram | McpAddress;

/** The usual JSON shape: servers by name. */
export interface McpServersConfig {
  readonly mcpServers: Readonly<Record<string, Omit<McpProgram, 'name'> | Omit<McpAddress, 'name'>>>;
}

/** Returns the server when it is valid; throws `invalid_argument`, naming the server and the field. */
export function parseMcpServer(value: unknown): McpServer {
  const { name } = read(named, value, 'The MCP server');
  const subject = `The MCP server "${name}"`;
  const isProgram = typeof value === 'object' && value !== null && 'command' in value;
  const isAddress = typeof value === 'object' && value !== null && 'url' in value;
  if (isProgram === isAddress)
    throw new SingletreeError(
      'invalid_argument',
      `${subject} is not configured correctly: set either a "command" to run or a "url" to call.`,
    );
  return { name, ...(isProgram ? read(program, value, subject) : read(address, value, subject)) };
}

/** Returns the servers of a configuration, not validated individually; throws `invalid_argument` for another shape. */
export function mcpServersIn(config: unknown): ReadonlyMap<string, unknown> {
  const { mcpServers } = read(z.object({ mcpServers: z.record(text, z.unknown()) }), config, 'The MCP configuration');
  return new Map(Object.entries(mcpServers).map(([name, server]) => [name, { ...(server as object), name }]));
}

function read<Schema extends z.ZodType>(schema: Schema, value: unknown, subject: string): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.map(String).join('.') ?? '';
  throw new SingletreeError(
    'invalid_argument',
    `${subject} is not configured correctly${field === '' ? '' : ` at "${field}"`}: ${issue?.message ?? 'it is not valid'}.`,
    { details: { field } },
  );
}
