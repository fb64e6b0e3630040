// A process dies in the middle of a run. The log has all it did, so another process goes on from there.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteLog } from 'singletree';
import { defineTool, loopAgent } from 'singletree/agents';
import { Supervisor } from 'singletree/control';
import { scriptByStep, scriptedModel } from 'singletree/testing';
import * as z from 'zod';

const book = defineTool({
  name: 'book',
  description: 'Books a flight, if you agree.',
  input: z.object({ city: z.string() }),
  execute: ({ city }) => `Booked: ${city}.`,
});
const flightTo = (city: string) => [{ toolCall: { name: 'book', input: { city } } }];
const script = scriptByStep([flightTo('Rome'), flightTo('Oslo'), 'Rome and Oslo are booked.']);
const agent = loopAgent({ model: scriptedModel(script), tools: [book] });

const [crashIn] = process.argv.slice(2);
const folder = crashIn ?? mkdtempSync(join(tmpdir(), 'singletree-'));
if (!crashIn) spawnSync(process.execPath, [import.meta.filename, folder], { stdio: 'inherit' });

const log = new SqliteLog(join(folder, 'log.db'));
const supervisor = new Supervisor({ log, agents: [agent], owner: 'example' });
if (crashIn) await supervisor.start((await log.createThread({ id: 'trip' })).id, { agent, content: 'Book.' });
else console.log(`A second process goes on with ${(await supervisor.recover()).length} run.`);

for await (const event of log.tail('trip')) {
  if (event.type !== 'tool_input_delta') console.log(event.seq, event.type);
  if (event.type === 'tool_result' && crashIn) process.kill(process.pid, 'SIGKILL');
  if (event.type === 'relay') await supervisor.answer('trip', event.id, { outcome: 'approve' }).catch(() => {});
  if (event.type === 'text') console.log(event.content);
  if (event.type === 'harness_end') break;
}
await supervisor.close();
rmSync(folder, { recursive: true });
