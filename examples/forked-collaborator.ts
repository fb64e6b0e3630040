// A forked subagent: it continues a copy of the conversation, so it knows everything that was said, and the request
// prefix that the provider has cached is used again. The parent's thread holds only the call and its result.
import { loopAgent, Memory } from 'singletree/agents';
import { Harness, parseSubagentMeta } from 'singletree/control';
import { scriptedModel } from 'singletree/testing';

const task = 'Write a greeting for me.';
const model = scriptedModel(({ lastUserText, messages, step }) => {
  const name = messages.map(({ text }) => /My name is (\w+)/.exec(text)?.[1]).find(Boolean);
  if (lastUserText === task) return `Dear ${name}, good morning!`;
  if (lastUserText.startsWith('My name')) return 'Nice to meet you.';
  if (step > 0) return 'The greeting is written.';
  return [{ toolCall: { name: 'subagent', input: { agentType: 'collaborator', task } } }];
});

const harness = new Harness({
  id: 'fork',
  modes: [{ id: 'main', name: 'Main', agent: loopAgent({ model, instructions: 'You are brief.' }) }],
  subagents: [
    {
      id: 'collaborator',
      name: 'Collaborator',
      description: 'Continues the conversation in a fork to try a different angle.',
      instructions: 'A fork has the instructions, tools and model of its parent instead.',
      forked: true,
    },
  ],
  memory: new Memory(),
  initialState: { yolo: true },
});
harness.subscribe(event => {
  if (event.type === 'subagent_start') console.log(`${event.agentType} forks: ${event.task}`);
  if (event.type === 'subagent_end') console.log(`${event.agentType} ends: ${event.result}`);
  if (event.type !== 'tool_end') return;
  const { content } = event.result as { content: string };
  console.log(`the parent receives: ${parseSubagentMeta(content).text}`);
});

await harness.sendMessage({ content: 'My name is Ada.' });
await harness.sendMessage({ content: 'Greet me.' });
const [threads, all] = [await harness.listThreads(), await harness.listThreads({ includeForkedSubagents: true })];
console.log(`${threads.length} thread, ${all.length - threads.length} fork`);
await harness.destroy();
