import * as z from 'zod';

/** A model provider and the source of its key, but never the key itself. */
export const modelProviderInfo = z.looseObject({
  id: z.string().describe('the part before the slash in provider/model'),
  name: z.string(),
  variable: z.string().optional().describe('the environment variable that holds its key; absent when it has none'),
  baseURL: z.string().optional().describe('the address of a server that was added'),
  source: z
    .enum(['environment', 'stored', 'configuration', 'found', 'none'])
    .describe(
      'what is used: a variable, a stored key or server, the configuration, a server on this machine, or nothing',
    ),
  isStored: z.boolean().describe('whether a key or server is stored, which the environment may replace'),
  models: z.array(z.string()).optional().describe('the models that a server answered with'),
});

export type ModelProviderInfo = z.infer<typeof modelProviderInfo>;

/** The body of `POST /api/providers`: the key of a known provider, or a server of models with an address. */
export const modelProviderBody = z.strictObject({
  id: z.string().regex(/^[\w.-]{1,60}$/, { error: 'expected 1 to 60 letters, digits, `_`, `-` and `.`' }),
  key: z
    .string()
    .regex(/^[\x21-\x7e]{8,4096}$/, { error: 'expected a key of 8 to 4,096 printable characters without spaces' })
    .optional(),
  baseURL: z
    .url({ protocol: /^https?$/ })
    .max(1000)
    .optional()
    .describe('the address of an API like OpenAI’s'),
  name: z.string().min(1).max(60).optional(),
});

export type ModelProviderBody = z.infer<typeof modelProviderBody>;

/** Whether a provider answered to its key. */
export const modelProviderTest = z.looseObject({
  isWorking: z.boolean(),
  model: z.string().optional().describe('the model that was asked'),
  ms: z.number().describe('how long the answer took'),
  problem: z.string().optional().describe('why it does not work'),
});

export type ModelProviderTest = z.infer<typeof modelProviderTest>;

/** A rule about calls and its source. */
const ruleInfo = z.looseObject({
  policy: z.enum(['allow', 'ask', 'deny']),
  tool: z.string().optional(),
  category: z.string().optional(),
  command: z.string().optional(),
  input: z.record(z.string(), z.string()).optional(),
  reason: z.string().optional(),
  source: z.string().describe('a file, `built in`, or `saved for all conversations`'),
  id: z.string().optional().describe('of a saved rule, which can be removed'),
});

/** The rules with their sources, MCP servers and skills in effect for the agents of a project. */
export const rulesInfo = z.looseObject({
  folder: z.string(),
  fallback: ruleInfo.describe('what happens to a call that no rule matches'),
  rules: z.array(ruleInfo),
  servers: z.array(
    z.looseObject({
      name: z.string(),
      source: z.string(),
      state: z.enum(['connected', 'down', 'closed', 'unused']).describe('`unused` while the coding agent has no model'),
      problem: z.string().optional(),
      tools: z.array(z.string()),
    }),
  ),
  skills: z.array(z.looseObject({ name: z.string(), description: z.string(), path: z.string() })),
});

/** The body of `POST /api/rules`: the one command that a tool may run without asking, in all conversations. */
export const savedRuleBody = z.strictObject({
  tool: z.string().regex(/^[^*]{1,200}$/, { error: 'expected the name of one tool, without *' }),
  command: z
    .string()
    .regex(/^[^*?[\]\n]{1,2000}$/, { error: 'expected one command of one line, without *, ? and brackets' }),
});

export type SavedRuleBody = z.infer<typeof savedRuleBody>;

export type RulesInfo = z.infer<typeof rulesInfo>;

/** A permission that a user granted for longer than one call. */
export const grantInfo = z.looseObject({
  threadId: z.string(),
  title: z.string().optional().describe('of the thread'),
  relayId: z.string().describe('the question that was answered with it'),
  remember: z.string().describe('`thread` or `category`'),
  covers: z.string().describe('which calls it allows, in words'),
  at: z.string().optional(),
  by: z.string().optional(),
});

export type GrantInfo = z.infer<typeof grantInfo>;
