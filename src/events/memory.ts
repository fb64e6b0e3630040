import * as z from 'zod';
import { eventShape, family } from './define.ts';

const define = family('memory');

export const summary = define(
  'summary',
  { doc: 'A span of the conversation has a shorter form. Its source stays in the log.' },
  () =>
    eventShape('summary', {
      id: z.string().min(1).describe('the id of the summary'),
      covers: z
        .looseObject({ from: z.string().min(1), to: z.string().min(1) })
        .describe('the first and the last node it stands for, along the active branch'),
      text: z.string().describe('the shorter form'),
      kind: z.enum(['compaction', 'observation', 'reflection']).describe('the mechanism that produced it'),
      active: z
        .boolean()
        .optional()
        .describe('false: buffered, it stands for nothing until a later summary activates it; true when absent'),
      activates: z.array(z.string()).optional().describe('the buffered summaries that this one puts into effect'),
      currentTask: z.string().optional().describe('the task of the agent at the end of the span'),
      suggestedResponse: z.string().optional().describe('the suggested next step of the agent'),
      tokens: z.int().nonnegative().optional().describe('the tokens of the text'),
      coveredMessages: z.int().nonnegative().optional().describe('how many messages of the model it stands for'),
      contextId: z.string().optional().describe('the `model_context` of the request that a compaction made'),
      asked: z.string().optional().describe('the last message of that request, after the messages that are covered'),
      requestHash: z.string().optional().describe('hash of that request'),
      coveredTokens: z.int().nonnegative().optional().describe('the tokens of what it stands for'),
    }),
);
