import * as z from 'zod';

const chatPart = z.looseObject({ type: z.string() });

/** The body of `POST /api/chat`, as the AI SDK's `DefaultChatTransport` sends it. */
export const chatBody = z.looseObject({
  id: z.string().min(1).max(200),
  messages: z
    .array(
      z.looseObject({
        id: z.string().optional(),
        role: z.enum(['system', 'user', 'assistant']),
        parts: z.array(chatPart),
        metadata: z.unknown().optional(),
      }),
    )
    .min(1),
  trigger: z.enum(['submit-message', 'regenerate-message']).optional(),
  messageId: z.string().optional(),
  agent: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
});

export type ChatBody = z.infer<typeof chatBody>;

/** The answer of `GET /api/chat/{threadId}/messages`: the initial messages of a chat. */
export const chatMessages = z.array(
  z.looseObject({
    id: z.string(),
    role: z.enum(['system', 'user', 'assistant']),
    metadata: z.looseObject({}).optional(),
    parts: z.array(chatPart),
  }),
);
