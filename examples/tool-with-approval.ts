// A tool that needs a person's word: the run waits in the log until somebody answers.
import { MemoryLog } from 'singletree';
import { defineTool, loopAgent } from 'singletree/agents';
import { Supervisor } from 'singletree/control';
import { scriptedModel } from 'singletree/testing';
import * as z from 'zod';

const remove = defineTool({
  name: 'remove',
  description: 'Removes a file.',
  input: z.object({ path: z.string() }),
  execute: ({ path }) => `${path} is gone.`,
});
const removing = (path: string) => ({ toolCall: { name: 'remove', input: { path } } });
const agent = loopAgent({
  model: scriptedModel([[removing('notes.txt'), removing('/')], 'I removed notes.txt and left the rest alone.']),
  tools: [remove],
  permissions: 'ask',
});

const log = new MemoryLog();
const supervisor = new Supervisor({ log });
const thread = await log.createThread();
await supervisor.start(thread.id, { agent, content: 'Clean up.' });

for await (const event of log.tail(thread.id)) {
  if (event.type === 'relay' && event.relayKind === 'permission') {
    const outcome = event.params['path'] === '/' ? 'reject' : 'approve';
    console.log(`May I ${event.tool} ${JSON.stringify(event.params)}? You ${outcome} it.`);
    await supervisor.answer(thread.id, event.id, { outcome });
  }
  if (event.type === 'tool_result') console.log(JSON.stringify(event.output));
  if (event.type === 'text') console.log(event.content);
  if (event.type === 'harness_end') break;
}
