import * as z from 'zod';
import type { Agent } from '../agents/contract/agent.ts';
import { canAsk, zeroAsks } from '../agents/limits/limits.ts';
import { mcpAddressSettings, mcpProgramSettings } from '../agents/contract/mcp-server.ts';
import { variableFields } from '../agents/process/environment.ts';
import { permissionRules } from '../agents/permissions/rule.ts';
import { once } from '../base/once.ts';

const text = () => z.string().min(1);
const amount = () => z.number().min(0).optional();
const limit = () =>
  z
    .strictObject({
      tokens: amount(),
      cost: amount(),
      then: z.enum(['end', 'ask']).optional().describe('whether a run that reaches it ends, or asks to continue'),
    })
    .refine(canAsk, zeroAsks)
    .optional();

/** A secret value: the value itself, or the environment variable that contains it. */
const secret = () => z.union([text(), z.strictObject({ env: text() })]);

const mcpServer = () => z.union([mcpProgramSettings(), mcpAddressSettings()]);

const provider = () =>
  z.strictObject({
    id: z
      .string()
      .regex(/^[\w.-]+$/)
      .describe('the part before the slash in provider/model'),
    name: text().optional(),
    baseURL: z.url({ protocol: /^https?$/ }).describe('the base URL of an API like OpenAI’s chat completions'),
    keyVariable: text().optional().describe('the environment variable that holds the key; none when no key is needed'),
  });

const subagent = () =>
  z.strictObject({
    description: text().describe('when the coding agent should use it'),
    instructions: text(),
    model: text().optional(),
    tools: z.array(text()).optional().describe('the tools it may use; those that only read when absent'),
  });

/** The fields that a JSON file can have. */
const dataFields = {
  $schema: z.string().optional(),
  defaultAgent: text().optional().describe('the agent that is used when none is named'),
  defaultModel: text().optional().describe('the provider/model id that is used when none is named'),
  models: z
    .strictObject({
      offered: z.array(text()).optional().describe('the provider/model ids that the page offers'),
      providers: z.array(provider()).optional().describe('further servers of models'),
    })
    .optional(),
  permissions: permissionRules.optional().describe('which calls run, are asked about or are refused'),
  limits: z
    .strictObject({ run: limit(), thread: limit(), day: limit() })
    .optional()
    .describe('limits of tokens and of cost in US dollars'),
  mcpServers: z.record(text(), mcpServer()).optional().describe('MCP servers whose tools the coding agent has'),
  skills: z.array(text()).optional().describe('folders of skills, relative to this file'),
  subagents: z
    .record(z.string().regex(/^[\w-]+$/), subagent())
    .optional()
    .describe('subagents of the coding agent'),
  store: text().optional().describe('the URL of the log: file:, postgres:'),
  live: text().optional().describe('the URL of the live tail: redis:'),
  server: z
    .strictObject({
      host: text().optional(),
      port: z.int().min(0).max(65_535).optional(),
      allowHosts: z.array(text()).optional(),
      cors: z.array(text()).optional(),
      roots: z
        .array(text())
        .optional()
        .describe('the folders below which the page opens projects; the home folder when absent'),
      tokens: z
        .array(
          z.strictObject({
            name: text().optional().describe('who uses it: the name of what they write and answer'),
            token: secret(),
            resourceId: text().optional().describe('the only resource it opens; everything when absent'),
          }),
        )
        .optional(),
      webhooks: z
        .array(
          z.strictObject({
            name: text().describe('names how far it is in the store: the same name goes on there'),
            url: text(),
            secret: secret().describe('signs each request; at least 16 characters'),
            types: z.array(text()).optional().describe('the types of events that are sent; all when absent'),
            resourceId: text().optional().describe('the only resource whose threads are sent; all when absent'),
            allowHosts: z.array(text()).optional().describe('hosts of private networks that may be used'),
          }),
        )
        .optional()
        .describe('where a server posts the events of all threads'),
    })
    .optional(),
  titles: z
    .enum(['model', 'message'])
    .optional()
    .describe('who names conversations: the model or program after the first turn, or the first words of the message'),
  page: z.strictObject({ title: text().optional() }).optional(),
  worktree: z
    .strictObject({ setup: text().optional().describe('a command that prepares a new worktree, such as "npm ci"') })
    .optional()
    .describe('the git worktrees of compared agents'),
  env: z
    .strictObject(variableFields())
    .optional()
    .describe('changes of the variables that agents, `bash` and setup commands get'),
  chat: z
    .strictObject({
      density: z
        .enum(['quiet', 'normal', 'full'])
        .optional()
        .describe('how much of changes and outputs `singletree chat` shows: nothing, the first lines, or all of it'),
    })
    .optional(),
  keys: z
    .record(text(), z.union([text(), z.array(text()), z.literal(false)]))
    .optional()
    .describe('keys of `singletree chat` by action, such as "ctrl+g" or ["f2", "ctrl+x t"]; false for none'),
};

/** The schema of a JSON configuration file. */
export const configDataSchema = once(() => z.strictObject(dataFields));

/** The schema of a configuration in code, which can bring agents. */
export const configSchema = once(() =>
  z.strictObject({
    ...dataFields,
    agents: z
      .array(
        z.custom<Agent>(
          isAgent,
          'expected an agent: an object with an `id` and an `invoke` function, such as loopAgent()',
        ),
      )
      .optional(),
  }),
);

/** The fields of a configuration file. */
export type ConfigData = z.infer<ReturnType<typeof configDataSchema>>;

/** A configuration: the fields of a file and, in code, agents. */
export type Config = z.infer<ReturnType<typeof configSchema>>;

/** Returns its argument: gives `singletree.config.mjs` the types of a configuration. */
export function defineConfig(config: Config): Config {
  return config;
}

/** Returns the JSON Schema of a JSON configuration file. */
export function configJsonSchema(): object {
  return z.toJSONSchema(configDataSchema(), { io: 'input', unrepresentable: 'any' });
}

function isAgent(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { id, invoke } = value as Partial<Agent>;
  return typeof id === 'string' && id !== '' && typeof invoke === 'function';
}
