import * as z from 'zod';
import { userContent } from './content.ts';
import { eventShape, family } from './define.ts';
import { runAdditions } from './run-additions.ts';
import { runTrace } from './lifecycle.ts';

const define = family('queue');

const messageId = () => z.string().min(1).describe('the id of the message');
const order = () => z.number().describe('its place in the queue: the lowest is delivered first');

export const messageQueued = define(
  'message_queued',
  {
    doc: 'A message waits. It is delivered by the `user` event with its id.',
    durability: 'barrier',
  },
  () =>
    eventShape('message_queued', {
      id: messageId(),
      content: userContent(),
      delivery: z
        .enum(['steer', 'follow_up'])
        .describe('whether it goes into the run at its next safe point, or begins a turn when the run has ended'),
      waitsFor: z.string().min(1).optional().describe('the run that it goes into, or whose end it waits for'),
      by: z.string().optional().describe('the person or program that sent it'),
      agent: z.string().min(1).describe('the id of the agent that answers it when it begins a turn'),
      model: z.string().optional().describe('the model of that turn'),
      mode: z.string().optional().describe('the mode that the thread changes to with it'),
      hasContext: z
        .literal(true)
        .optional()
        .describe('it was sent with a request context, which only the process that accepted it has'),
      trace: runTrace(),
      additions: runAdditions(),
      order: order(),
    }),
);

export const messageChanged = define(
  'message_changed',
  {
    doc: 'A waiting message has other words or another place in the queue, or goes into the run.',
    durability: 'barrier',
  },
  () =>
    eventShape('message_changed', {
      id: messageId(),
      content: userContent().optional(),
      order: order().optional(),
      delivery: z.literal('steer').optional().describe('it goes into the run at its next safe point from now on'),
    }),
);

export const messageWithdrawn = define(
  'message_withdrawn',
  { doc: 'A waiting message is not delivered any more.', durability: 'barrier' },
  () => eventShape('message_withdrawn', { id: messageId() }),
);
