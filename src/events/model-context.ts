import * as z from 'zod';
import { eventShape, family } from './define.ts';

const define = family('lifecycle');

/** The messages that a model is sent, in the form of `projectMessages`. */
export const sentMessages = () =>
  z.array(z.looseObject({ role: z.enum(['system', 'user', 'assistant', 'tool']), content: z.unknown() }));

export const modelContext = define(
  'model_context',
  {
    doc: 'Everything a model is sent besides the messages of the conversation. A thread has each context once, before the first `step_start` that names it; a tool is described only in the first context that has it.',
  },
  () =>
    eventShape('model_context', {
      id: z.string().min(1).describe('the hash of the context, with every tool whole'),
      provider: z.string().describe('the provider of the model; the agent, when an external program reported it'),
      reported: z
        .boolean()
        .optional()
        .describe('true when an external program reported it: names of tools and settings, not what it sent'),
      instructions: z.string().optional().describe('the instructions before the messages'),
      tools: z
        .array(
          z.looseObject({
            id: z.string().min(1).describe('the hash of the tool'),
            tool: z.record(z.string(), z.unknown()).optional().describe('name, description and schema of the input'),
          }),
        )
        .describe('the tools that are offered, in order; `tool` is absent when an earlier context has it'),
      settings: z
        .record(z.string(), z.unknown())
        .describe('the settings of the call and the format of the answer; headers without their values'),
      first: sentMessages()
        .optional()
        .describe('messages before those of the conversation, such as observations of other threads'),
      maxOutputLength: z.number().optional().describe('outputs of tools are sent up to this many characters'),
      maxShownLength: z
        .number()
        .optional()
        .describe('of a recursive language model: outputs of code are sent up to this many characters'),
    }),
);
