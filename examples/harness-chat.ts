// A chat in the terminal: a line is a message, or `y` or `n` when a tool asks for approval. It ends with its input.
import { createInterface } from 'node:readline/promises';
import { defineTool, loopAgent } from 'singletree/agents';
import { deltaOf, Harness } from 'singletree/control';
import { scriptedModel } from 'singletree/testing';
import * as z from 'zod';

const input = z.object({ sides: z.number() });
const dice = defineTool({ name: 'dice', description: 'Rolls dice.', input, execute: ({ sides }) => `a ${sides}` });
// A model that needs no key: it rolls when it is asked to, and else repeats what it hears.
const model = scriptedModel(({ messages, step }) => {
  const said = messages.findLast(({ role }) => role === 'user')?.text ?? '';
  if (said.includes('roll') && step === 0) return [{ toolCall: { name: 'dice', input: { sides: 6 } } }];
  return step === 0 ? `You said: ${said}` : 'Lucky you.';
});
const harness = new Harness({ id: 'chat', modes: [{ id: 'chat', agent: loopAgent({ model, tools: [dice] }) }] });

harness.subscribe(event => {
  if (event.type === 'message_update') process.stdout.write(deltaOf(event.message)?.delta ?? '');
  if (event.type === 'tool_approval_required') console.log(`May I use ${event.toolName}? y/n`);
  if (event.type === 'tool_end') console.log(`[${JSON.stringify(event.result)}]`);
  if (event.type === 'agent_end') console.log('');
});

/** Resolves when a person is asked something. */
const asked = () =>
  new Promise<void>(resolve => {
    harness.subscribe(({ type }) => void (type === 'tool_approval_required' && resolve()));
  });
const isAsked = () => harness.getDisplayState().pendingApproval !== null;
let answer = Promise.resolve();
for await (const line of createInterface({ input: process.stdin })) {
  const next = asked();
  if (isAsked()) harness.respondToToolApproval({ decision: line === 'y' ? 'approve' : 'decline' });
  else answer = harness.sendMessage({ content: line });
  await Promise.race([answer, next]);
}
if (isAsked()) harness.respondToToolApproval({ decision: 'decline' });
await answer;
await harness.destroy();
