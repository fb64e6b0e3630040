import * as z from 'zod';
import { eventShape, family } from './define.ts';
import { sentMessages } from './model-context.ts';

const define = family('lifecycle');

export const runTrace = () =>
  z
    .looseObject({
      traceId: z.string().describe('the id of the trace'),
      parentSpanId: z.string().optional().describe('the span that the run is a part of'),
      sampled: z.boolean().optional().describe('false when the caller does not record the trace'),
      tags: z.array(z.string()).optional().describe('labels of the trace'),
      metadata: z.record(z.string(), z.unknown()).optional().describe('further data'),
    })
    .optional()
    .describe('the trace it belongs to, when the caller named one');

export const harnessStart = define(
  'harness_start',
  { doc: 'A run began. It is the first event of its run.', durability: 'barrier' },
  () =>
    eventShape('harness_start', {
      agentId: z.string().describe('the agent that runs'),
      model: z.string().optional().describe('the model it was started with'),
      cwd: z.string().optional().describe('the directory it works in'),
      trace: runTrace(),
      recorded: z
        .boolean()
        .optional()
        .describe(
          'whether it is the record of a run that took place elsewhere: without an end it counts as interrupted',
        ),
      memory: z
        .looseObject({
          operation: z.enum(['observation', 'reflection', 'title']).describe('the kind of text it produces'),
          background: z.boolean().describe('whether the run that it serves continues meanwhile'),
          tokens: z.int().nonnegative().describe('the tokens it condenses'),
        })
        .optional()
        .describe('its task in the background of its parent run, whose abort and end do not affect it'),
    }),
);

export const harnessEnd = define(
  'harness_end',
  { doc: 'A run ended. It is the last event of its run.', durability: 'barrier' },
  () =>
    eventShape('harness_end', {
      agentId: z.string().describe('the agent that ran'),
      reason: z
        .enum(['complete', 'max_iterations', 'limit_reached', 'aborted', 'error', 'timeout', 'interrupted'])
        .optional()
        .describe('why it ended'),
      output: z
        .unknown()
        .optional()
        .describe('the structured output of the run: by the schema of its agent, or the value given to FINAL()'),
    }),
);

export const stepStart = define(
  'step_start',
  { doc: 'A step of a run began: one model call and the tools it asks for.' },
  () =>
    eventShape('step_start', {
      step: z.int().nonnegative().describe('zero-based number of the step within its run'),
      callId: z.string().optional().describe('the model call of this step'),
      model: z.string().optional().describe('the model of the call'),
      attempt: z
        .int()
        .min(2)
        .optional()
        .describe('the number of the attempt at this step, when it repeats one that failed or was interrupted'),
      replaces: z
        .array(z.string())
        .optional()
        .describe('ids of the text, reasoning and calls of the attempt before, which no longer count'),
      contextId: z
        .string()
        .optional()
        .describe('the `model_context` that was sent with the messages of the conversation'),
      messages: sentMessages()
        .optional()
        .describe(
          'the messages that the run begins with here, when the conversation does not have them: the task of a subagent',
        ),
      requestHash: z.string().optional().describe('hash of the request, so that a replay can detect where it diverges'),
    }),
);

export const session = define(
  'session',
  { doc: 'An external program reported the id of its session; the session can be resumed by that id.' },
  () =>
    eventShape('session', {
      sessionId: z.string().min(1).describe('the session id, as the program prints it'),
      cwd: z.string().optional().describe('the directory the session works in'),
      model: z.string().optional().describe('the model the session uses'),
      title: z.string().optional().describe('the title that the program gave the session'),
      commands: z
        .array(
          z.looseObject({
            name: z.string().min(1).describe('without the slash'),
            description: z.string().optional(),
          }),
        )
        .optional()
        .describe('the slash commands that the program reported'),
    }),
);
