// The usage example of the specification, unchanged but for its imports, with two agents and a place to run in.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loopAgent } from 'singletree/agents';
import { scriptedModel } from 'singletree/testing';
import { Harness, type HarnessMessage } from 'singletree';
import { LibSQLStore } from 'singletree/log';
import { z } from 'zod';

const planAgent = loopAgent({ id: 'planner', model: scriptedModel(() => 'Hello! What shall we plan?') });
const buildAgent = loopAgent({ id: 'builder', model: scriptedModel(() => 'Hello! What shall we build?') });
const renderMessage = ({ role, content }: HarnessMessage) => console.log(role, JSON.stringify(content));
process.chdir(mkdtempSync(join(tmpdir(), 'singletree-example-')));

const harness = new Harness({
  id: 'my-coding-agent',
  storage: new LibSQLStore({ url: 'file:./data.db' }),
  stateSchema: z.object({
    currentModelId: z.string().optional(),
  }),
  modes: [
    { id: 'plan', name: 'Plan', default: true, agent: planAgent },
    { id: 'build', name: 'Build', agent: buildAgent },
  ],
});

harness.subscribe(event => {
  if (event.type === 'message_update') {
    renderMessage(event.message);
  }
});

await harness.init();
await harness.selectOrCreateThread();
await harness.sendMessage({ content: 'Hello!' });

console.log((await harness.listMessages()).length, 'messages');
await harness.destroy();
