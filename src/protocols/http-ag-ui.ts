import * as z from 'zod';

const source = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('data'), value: z.string(), mimeType: z.string() }),
  z.looseObject({ type: z.literal('url'), value: z.string(), mimeType: z.string().optional() }),
]);

const contentPart = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.enum(['image', 'audio', 'video', 'document']), source }),
  z.looseObject({
    type: z.literal('binary'),
    mimeType: z.string(),
    data: z.string().optional(),
    url: z.string().optional(),
    filename: z.string().optional(),
  }),
]);

const userMessage = z.looseObject({
  id: z.string().min(1),
  role: z.literal('user'),
  content: z.union([z.string(), z.array(contentPart)], {
    error: 'expected text, or a list of text, image, audio, video, document and binary parts',
  }),
});

const toolMessage = z.looseObject({
  id: z.string().min(1),
  role: z.literal('tool'),
  toolCallId: z.string(),
  content: z.union([z.string(), z.array(z.unknown())]).optional(),
  error: z.string().nullish(),
});

const otherMessage = z.looseObject({
  id: z.string().min(1),
  role: z.enum(['assistant', 'system', 'developer', 'reasoning', 'activity']),
});

/** The result of a call that a client has: of a client tool, or one that the server sent to it. */
export type AgUiToolMessage = z.infer<typeof toolMessage>;

const clientTool = z.looseObject({
  name: z.string().regex(/^[\w-]{1,64}$/, { error: 'expected a name of up to 64 letters, digits, - and _' }),
  description: z.string().max(20_000).nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish().describe('JSON Schema of its input'),
});

const contextEntry = z.looseObject({ description: z.string(), value: z.string() });

/** A message of the person, as an AG-UI client sends it. */
export type AgUiUserMessage = z.infer<typeof userMessage>;

/** An answer to an interrupt, as a client sends it with its next request. */
const agUiResume = z.looseObject({
  interruptId: z.string().min(1).max(1000),
  status: z.enum(['resolved', 'cancelled']),
  payload: z.unknown().optional(),
});

export type AgUiResume = z.infer<typeof agUiResume>;

/** The body of a run: `RunAgentInput` of AG-UI. */
export const agUiRunBody = z.looseObject({
  threadId: z.string().min(1).max(200),
  runId: z.string().min(1).max(200).describe('the id that the client gives its run'),
  protocolVersion: z.string().max(20).optional().describe('`1.0`; clients before it send none'),
  messages: z
    .array(z.discriminatedUnion('role', [userMessage, toolMessage, otherMessage]))
    .describe(
      'what the client has; the last message of the person is sent to the agent when the thread does not have it',
    ),
  state: z.unknown().optional().describe('the state of the last run: its `seq` is the newest event the client has'),
  tools: z
    .array(clientTool)
    .max(200)
    .optional()
    .describe('tools that the client executes: a call ends its run, and the next one brings the result'),
  context: z.array(contextEntry).max(200).optional().describe("words that follow the agent's instructions in this run"),
  resume: z.array(agUiResume).max(1000).optional().describe('the answers to the interrupts of the run before'),
});

export type AgUiRunBody = z.infer<typeof agUiRunBody>;

/** The server information that CopilotKit clients request first. */
export const agUiInfo = z.looseObject({
  version: z.string(),
  agents: z.record(z.string(), z.looseObject({ name: z.string(), description: z.string() })),
  audioFileTranscriptionEnabled: z.boolean(),
});
