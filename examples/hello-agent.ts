// An agent is anything with `invoke`: here a model and a tool, and its events as they come.
import { defineTool, loopAgent } from 'singletree/agents';
import { scriptedModel } from 'singletree/testing';
import * as z from 'zod';

const roll = defineTool({
  name: 'roll',
  description: 'Rolls a die.',
  input: z.object({ sides: z.number() }),
  execute: ({ sides }) => ({ context: `The die shows ${sides}.`, result: { shows: sides } }),
});

const agent = loopAgent({
  // A script instead of a model, so that no key is needed; a real one is 'anthropic/claude-sonnet-5'.
  model: scriptedModel([
    [{ text: "I'll roll it." }, { toolCall: { name: 'roll', input: { sides: 6 } } }],
    'A six! You win.',
  ]),
  instructions: 'You are a croupier.',
  tools: [roll],
  permissions: 'allow',
});

const run = agent.invoke({ conversation: { messages: [{ role: 'user', content: 'Roll a die for me.' }] } });
for await (const event of run) {
  // A model call that broke off is made again: what it said no longer counts.
  if (event.type === 'step_start' && event.attempt !== undefined) console.log('\n(once more)');
  if (event.type === 'text') process.stdout.write(event.content);
  if (event.type === 'tool_call') console.log(`\n→ ${event.name} ${JSON.stringify(event.input)}`);
  if (event.type === 'tool_result') console.log(`← ${JSON.stringify(event.output)}`);
  if (event.type === 'harness_end') console.log(`\n(${event.reason})`);
}
