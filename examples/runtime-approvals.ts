// A runtime asks agents on behalf of one tenant, streams plain wire events, and takes what a person decides.
import { defineTool, loopAgent } from 'singletree/agents';
import { createRuntime, planTool } from 'singletree/runtime';
import { scriptedModel } from 'singletree/testing';
import * as z from 'zod';

const price = defineTool({
  name: 'set_price',
  description: 'Sets the price of a product.',
  input: z.object({ product: z.string(), price: z.number() }),
  execute: ({ product, price }) => ({ context: 'ok', result: { product, price } }),
});
const plan = planTool({ execute: ({ title }) => `${title} are on their way.` });
const agent = loopAgent({
  model: scriptedModel([
    [{ toolCall: { name: 'plan', input: { title: 'New prices', plan: 'Tea first.', planId: 'demo-plan-1' } } }],
    [{ toolCall: { name: 'set_price', input: { product: 'tea', price: 9 } } }],
    'Tea is 4 now.',
  ]),
  tools: [price, plan],
  permissions: { default: 'allow', rules: [] },
});
const runtime = createRuntime({ agent, resourceId: 'acme', approvals: { tools: { set_price: 'ask' } } });

for await (const event of runtime.query('Make new prices.', { threadId: 'thread-1' })) {
  if (event.type === 'text') console.log(event.text);
  if (event.type === 'tool-invocation' && event.state === 'call') console.log(`call ${event.toolName}`);
  if (event.type === 'tool-invocation' && event.state === 'result') console.log(`=> ${JSON.stringify(event.result)}`);
  if (event.type === 'plan-status-change') console.log(`plan: ${event.data.to}`);
  if (event.type === 'finish') console.log(`${event.finishReason}, ${event.usage.totalTokens} tokens`);
  if (event.type !== 'approval-required') continue;
  const { id, kind } = event.data;
  console.log(`a person decides about the ${kind}`);
  if (kind === 'plan') await runtime.respondToApproval(id, 'approve', { feedback: 'Go ahead.' });
  else await runtime.respondToApproval(id, 'revise', { partial: { price: 4 } });
}
