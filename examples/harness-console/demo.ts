import { defineTool, loopAgent } from 'singletree/agents';
import type { HarnessConfig } from 'singletree/control';
import { scriptedModel } from 'singletree/testing';
import * as z from 'zod';

const dice = defineTool({
  name: 'dice',
  description: 'Rolls dice.',
  input: z.object({ sides: z.number() }),
  execute: ({ sides }) => `It shows ${sides}.`,
});

const pay = defineTool({
  name: 'pay',
  description: 'Pays, when a person has sent the code.',
  input: z.object({ amount: z.number() }),
  repeatable: true,
  execute: async ({ amount }, { ask }) => {
    const answer = await ask({ relayKind: 'suspension', tool: 'pay', payload: 'the code on your phone' });
    return `${amount} paid with the code ${String(answer?.input)}.`;
  },
});

/** The call that a word in a message leads to. */
const callsByWord: Readonly<Record<string, { name: string; input: object }>> = {
  roll: { name: 'dice', input: { sides: 6 } },
  pay: { name: 'pay', input: { amount: 3 } },
  colour: { name: 'ask_user', input: { question: 'Which colour?', options: [{ label: 'Red' }, { label: 'Blue' }] } },
  plan: { name: 'submit_plan', input: { title: 'A page', plan: '1. Write it.\n2. Show it.' } },
  look: { name: 'subagent', input: { agentType: 'scout', task: 'Look around.' } },
};

/** A model that needs no key: it calls what a message names, counts slowly, and else repeats what it hears. */
const model = scriptedModel(({ messages }) => {
  const last = messages.at(-1);
  if (last?.role === 'tool') return 'Done.';
  const said = last?.text ?? '';
  const word = Object.keys(callsByWord).find(each => said.includes(each));
  const toolCall = word === undefined ? undefined : callsByWord[word];
  if (toolCall !== undefined) return [{ toolCall }];
  return said.includes('count') ? { text: 'one two three four five six', delayMs: 250 } : `You said: ${said}`;
});

/** What the console drives. */
export const demo: HarnessConfig = {
  id: 'console',
  modes: [
    { id: 'build', default: true, agent: loopAgent({ id: 'builder', model, tools: [dice, pay] }) },
    { id: 'plan', agent: loopAgent({ id: 'planner', model }) },
  ],
  subagents: [
    {
      id: 'scout',
      name: 'Scout',
      description: 'Looks around.',
      instructions: 'Look around and report.',
      defaultModelId: 'demo/scout',
    },
  ],
  resolveModel: () => scriptedModel(() => 'Three files, nothing odd.'),
  // Only what changes something is asked about.
  initialState: {
    permissionRules: {
      categories: {},
      tools: { ask_user: 'allow', submit_plan: 'allow', subagent: 'allow', pay: 'allow' },
    },
  },
};
