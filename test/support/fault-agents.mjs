// The configuration of a server in the fault suite: an agent whose tools write down each call that they execute.
import { appendFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { defineTool, loopAgent } from '../../dist/agents/index.js';
import { scriptedModel } from '../../dist/testing/index.js';

const effects = process.env['SINGLETREE_FAULT_EFFECTS'];
const steps = 6;

const tool = name =>
  defineTool({
    name,
    description: 'has an effect that must not be repeated',
    input: z.object({ step: z.number() }),
    execute: async ({ step }, { toolCallId }) => {
      appendFileSync(effects, `${toolCallId}\n`);
      await setTimeout(30);
      return { context: `did ${step}` };
    },
  });

const model = scriptedModel(
  ({ step }) =>
    step < steps
      ? {
          delayMs: 20,
          parts: [
            { text: `Step ${step} of the work takes a few words and a little while to explain.` },
            { toolCall: { id: `c${step}`, name: step % 3 === 2 ? 'pay' : 'note', input: { step } } },
          ],
        }
      : 'Done.',
  { keepRequests: 0 },
);

const loop = loopAgent({
  id: 'worker',
  model,
  tools: [tool('note'), tool('pay')],
  permissions: { default: 'allow', rules: [{ tool: 'pay', policy: 'ask' }] },
});

/** Every third question may be answered for half a second only. */
let questions = 0;
async function* expireQuestions(events) {
  for await (const event of events)
    yield event.type === 'relay' && questions++ % 3 === 0
      ? { ...event, expiresAt: new Date(Date.now() + 500).toISOString() }
      : event;
}

const worker = { ...loop, invoke: params => expireQuestions(loop.invoke(params)) };

export const config = { agents: [worker], defaultAgent: 'worker' };
