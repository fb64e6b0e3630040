import * as z from 'zod';
import { eventShape, family } from './define.ts';

const define = family('people');

const toolCallId = () => z.string().min(1).describe('the tool call that waits');
const tool = () => z.string().describe('the tool that would run');
const params = () => z.record(z.string(), z.unknown()).describe('the arguments it would run with');
const expiresAt = () => z.iso.datetime({ offset: true }).optional().describe('when the request expires');
const option = () => z.looseObject({ label: z.string(), description: z.string().optional() });

function relayShape<const Kind extends string, Fields extends z.ZodRawShape>(relayKind: Kind, fields: Fields) {
  return eventShape('relay', {
    id: z.string().min(1).describe('the id an answer names'),
    relayKind: z.literal(relayKind),
    expiresAt: expiresAt(),
    answers: z
      .array(z.enum(['approve', 'reject', 'revise', 'answer']))
      .optional()
      .describe('the outcomes that the agent can act on; every outcome of its kind when absent'),
    ...fields,
  });
}

export const relay = define(
  'relay',
  { doc: 'An agent asks a person something and waits.', durability: 'barrier' },
  () =>
    z.discriminatedUnion('relayKind', [
      relayShape('permission', {
        toolCallId: toolCallId(),
        tool: tool(),
        category: z.string().optional().describe('the category of the tool'),
        personOnly: z
          .boolean()
          .optional()
          .describe('a rule that denies may match the call: only an answer to this relay approves it, no grant'),
        params: params(),
        command: z.string().optional().describe('the shell line that would run, exactly as the shell receives it'),
        diff: z.string().optional().describe('the change to files that would be made, as a unified diff'),
        reason: z.string().optional().describe('why the agent wants it, in its own words'),
      }),
      relayShape('question', {
        toolCallId: toolCallId().optional(),
        question: z.string().describe('the question'),
        options: z.array(option()).optional().describe('the choices'),
        selectionMode: z.enum(['single_select', 'multi_select']).optional().describe('how many choices may be taken'),
      }),
      relayShape('plan', {
        toolCallId: toolCallId().optional(),
        planId: z.string().min(1).describe('the plan to decide on'),
        title: z.string().optional().describe('its title'),
        plan: z.string().describe('its text'),
      }),
      relayShape('suspension', {
        toolCallId: toolCallId().optional().describe('the tool call that waits; absent when a limit of spending asks'),
        tool: tool(),
        params: params().optional(),
        payload: z.unknown().optional().describe('the reason for waiting, in a form that the tool defines'),
        resumeSchema: z.string().optional().describe('JSON Schema of the data it wants'),
        forClient: z
          .boolean()
          .optional()
          .describe('whether the client that asked for the run executes the call, and answers with its result'),
      }),
      relayShape('access', {
        toolCallId: toolCallId().optional(),
        params: params().describe('the requested access, such as `{ path, reason }`'),
      }),
    ]),
);

export const relayResolved = define(
  'relay_resolved',
  { doc: 'A relay has its answer. The first answer wins.', durability: 'barrier' },
  () =>
    eventShape('relay_resolved', {
      relayId: z.string().min(1).describe('the relay that was answered'),
      outcome: z.enum(['approve', 'reject', 'revise', 'answer', 'expired', 'cancelled']).describe('the decision'),
      feedback: z.string().optional().describe('words for the agent'),
      input: z.unknown().optional().describe('the input to use instead, when revised'),
      answer: z
        .union([z.string(), z.array(z.string())])
        .optional()
        .describe('the answer to a question'),
      remember: z.enum(['once', 'thread', 'category']).optional().describe('how far an approval reaches'),
      by: z.string().optional().describe('the person or program that answered'),
    }),
);

export const grantRevoked = define(
  'grant_revoked',
  { doc: 'An approval that reached beyond its call applies no longer: later turns ask again.', durability: 'barrier' },
  () =>
    eventShape('grant_revoked', {
      relayId: z.string().min(1).describe('the relay whose answer granted it'),
      by: z.string().optional().describe('the person or program that revoked it'),
    }),
);
