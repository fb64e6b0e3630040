import * as z from 'zod';

/** An agent that can be asked, as the HTTP API returns it. */
export const agentInfo = z.looseObject({
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  models: z.array(z.string()).optional().describe('its models, the default first'),
  contextWindows: z
    .record(z.string(), z.number())
    .optional()
    .describe('how many tokens the context of its models holds, as far as that is known'),
  modes: z
    .array(z.looseObject({ id: z.string(), name: z.string(), description: z.string().optional() }))
    .optional()
    .describe('its modes, the default first'),
  suggestions: z.array(z.string()).optional().describe('what one could ask it first'),
  commands: z
    .array(
      z.looseObject({
        name: z.string().describe('without the slash'),
        description: z.string(),
        sends: z.string().describe('the message that it sends; `{argument}` stands for what is written after it'),
      }),
    )
    .optional()
    .describe('what can be asked of it with a slash: its skills, and commands of its own'),
});

export type AgentInfo = z.infer<typeof agentInfo>;

/** The agents and model providers that a server knows, and how to add missing ones. */
export const setupInfo = z.looseObject({
  agents: z.array(
    z.looseObject({
      id: z.string(),
      name: z.string(),
      isInstalled: z.boolean(),
      install: z.string().describe('the command that installs it'),
    }),
  ),
  keys: z.array(
    z.looseObject({
      name: z.string().describe('the provider of models'),
      variable: z.string().describe('the environment variable that holds the key'),
      isSet: z.boolean(),
    }),
  ),
  folder: z.string().optional().describe('the folder that agents work in'),
  hasProjects: z.boolean().optional().describe('whether folders can be opened as projects'),
  hasKeys: z.boolean().optional().describe('whether keys of providers can be stored'),
  hasSessions: z.boolean().optional().describe('whether sessions of external agents can be listed and imported'),
});

export type SetupInfo = z.infer<typeof setupInfo>;

/** A file that a message can mention. */
export const mentionInfo = z.looseObject({
  path: z.string().describe('from the folder'),
  positions: z.array(z.number()).describe('where the path has the characters that were searched'),
});

export type MentionInfo = z.infer<typeof mentionInfo>;
