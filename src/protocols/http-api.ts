import * as z from 'zod';

/** A run that is under way, as the HTTP API tells it. */
const runningRun = z.looseObject({ runId: z.string() });

/** A thread as the HTTP API tells it. */
export const threadInfo = z.looseObject({
  id: z.string(),
  resourceId: z.string(),
  title: z.string().optional(),
  createdAt: z.string(),
  updatedAt: z.string(),
  seq: z.number(),
  runs: z.array(runningRun),
});

export type ThreadInfo = z.infer<typeof threadInfo>;

/** An agent that can be asked, as the HTTP API tells it. */
export const agentInfo = z.looseObject({
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  models: z.array(z.string()).optional(),
});

export type AgentInfo = z.infer<typeof agentInfo>;

const contentPart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.literal('image'), data: z.string(), mediaType: z.string() }),
  z.strictObject({ type: z.literal('file'), data: z.string(), mediaType: z.string(), filename: z.string().optional() }),
]);

/** The body of `POST /api/threads`. */
export const newThreadBody = z.strictObject({
  title: z.string().min(1).max(500).optional(),
  resourceId: z.string().min(1).max(200).optional(),
});

export type NewThreadBody = z.infer<typeof newThreadBody>;

/** The body of `POST /api/threads/:id/messages`. */
export const messageBody = z.strictObject({
  content: z.union([z.string().min(1), z.array(contentPart).min(1)], {
    error: 'expected text that is not empty, or a list of text, image and file parts',
  }),
  agent: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
  edits: z.string().min(1).optional().describe('the user message this one takes the place of'),
});

export type MessageBody = z.infer<typeof messageBody>;

/** The body of `POST /api/threads/:id/retries`. */
export const retryBody = z.strictObject({
  messageId: z.string().min(1),
  agent: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
});

export type RetryBody = z.infer<typeof retryBody>;

/** The body of `POST /api/threads/:id/selection`. */
export const selectionBody = z.strictObject({ nodeId: z.string().min(1) });

export type SelectionBody = z.infer<typeof selectionBody>;

/** What `POST /api/threads/:id/messages` answers. */
export const messageReceipt = z.looseObject({ runId: z.string(), steered: z.boolean().optional() });

export type MessageReceipt = z.infer<typeof messageReceipt>;

/** The body of `POST /api/threads/:id/relays/:relayId`. */
export const relayBody = z.strictObject({
  outcome: z.enum(['approve', 'reject', 'revise', 'answer']),
  feedback: z.string().optional(),
  input: z.unknown().optional(),
  answer: z.union([z.string(), z.array(z.string())], { error: 'expected text or a list of texts' }).optional(),
  remember: z.enum(['once', 'thread', 'category']).optional(),
});

export type RelayBody = z.infer<typeof relayBody>;

/** How every error of the HTTP API is told (RFC 9457). */
export const problem = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  code: z.string(),
  detail: z.string(),
});

export type Problem = z.infer<typeof problem>;
