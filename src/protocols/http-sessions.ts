import * as z from 'zod';

/** A session of an external agent that a server found in its files. */
export const sessionInfo = z.looseObject({
  id: z.string().describe('names it in an import'),
  agentId: z.string(),
  title: z.string().optional(),
  folder: z.string().optional().describe('the folder that the agent worked in'),
  createdAt: z.string().optional(),
  updatedAt: z.string(),
  bytes: z.number(),
  status: z.enum(['new', 'imported', 'changed']).describe('`changed`: the session continued after its import'),
  threadId: z.string().optional().describe('the thread that has it'),
});

export type SessionInfo = z.infer<typeof sessionInfo>;

/** The body of `POST /api/sessions/:id/import`. */
export const sessionImportBody = z.strictObject({
  skipSecrets: z.boolean().optional().describe('whether the secrets that the server knows are replaced'),
});

export type SessionImportBody = z.infer<typeof sessionImportBody>;

/** The result of importing a session. */
export const sessionImportInfo = z.looseObject({
  threadId: z.string().optional().describe('absent when the session has no conversation'),
  status: z
    .enum(['imported', 'added', 'branched', 'unchanged', 'empty'])
    .describe('`branched`: the source went another way than the thread, which stays as it is'),
  events: z.number().describe('how many were added'),
  unreadable: z.looseObject({ count: z.number(), lines: z.array(z.string()) }).describe('stored as they are'),
  unknown: z.record(z.string(), z.number()).describe('how many records of each unknown kind were stored as they are'),
  secrets: z.number().describe('how many were replaced'),
});

export type SessionImportInfo = z.infer<typeof sessionImportInfo>;
