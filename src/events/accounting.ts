import * as z from 'zod';
import { eventShape, family } from './define.ts';

const define = family('accounting');

const tokens = () => z.number().nonnegative();

export const usage = define('usage', { doc: 'Tokens were used. A count that was never reported is absent.' }, () =>
  eventShape('usage', {
    inputTokens: tokens().describe('tokens sent, cached ones included'),
    outputTokens: tokens().describe('tokens received, reasoning included'),
    cacheReadTokens: tokens().optional().describe('sent tokens that were read from a cache'),
    cacheWriteTokens: tokens().optional().describe('sent tokens that were written to a cache'),
    reasoningTokens: tokens().optional().describe('received tokens that were reasoning'),
    model: z.string().optional().describe('the model that used them'),
    cost: z.number().nonnegative().optional().describe('the cost in US dollars, when it was reported'),
    finishReason: z.string().optional().describe('why the model stopped'),
    callId: z.string().optional().describe('the model call that produced it'),
  }),
);
