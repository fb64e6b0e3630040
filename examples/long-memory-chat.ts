// A long chat with observational memory: an observer turns older messages into dated observations, in the background, so
// that every request stays short and what was said at the beginning is still known at the end.
import { loopAgent, Memory } from 'singletree/agents';
import { Harness } from 'singletree/control';
import { scriptedModel } from 'singletree/testing';

// The observer keeps what it is told about people; a real one writes a line for everything that may matter later.
const observer = scriptedModel(({ lastUserText }) => {
  const messages = lastUserText.split('Messages to observe:').at(-1) ?? '';
  const facts = messages.match(/My \w+ is \w+/g) ?? ['Small talk'];
  return `<observations>\nDate: 2026-03-14\n${facts.map(fact => `* [high] User: ${fact}`).join('\n')}\n</observations>`;
});

let longest = 0;
const model = scriptedModel(({ messages, lastUserText }) => {
  const known = messages.map(({ text }) => text).join('\n');
  longest = Math.max(longest, known.length);
  if (!lastUserText.startsWith('What')) return `Noted. ${'We could talk about this for hours. '.repeat(10)}`;
  const remembered = /User: My (name is \w+)/.exec(known)?.[1] ?? 'name is unknown to me';
  return `Your ${remembered}.`;
});

const harness = new Harness({
  id: 'chat',
  modes: [{ id: 'main', name: 'Main', agent: loopAgent({ model }) }],
  memory: new Memory({ model: observer, observation: { threshold: 1_000 } }),
});
let activations = 0;
harness.subscribe(event => {
  if (event.type === 'om_activation') activations++;
});

await harness.sendMessage({ content: 'My name is Ada.' });
for (let turn = 2; turn < 100; turn++) await harness.sendMessage({ content: `Something about number ${turn}.` });
await harness.sendMessage({ content: 'What is my name?' });

const [answer] = (await harness.listMessages({ limit: 1 })).flatMap(({ content }) => content);
if (answer?.type === 'text') console.log(answer.text);
const record = await harness.getObservationalMemoryRecord();
console.log(`first observation: ${record?.activeObservations.split('\n')[1]}`);
console.log(`observations took effect more than 5 times: ${activations > 5}`);
console.log(`the longest request had less than 20,000 characters: ${longest < 20_000}`);
await harness.destroy();
