// Serves a log with two agents: one whose runs go on in the next process, and one whose runs cannot.
// usage: node chaos-server.mjs <log file> <port>
import { once } from 'node:events';
import * as z from 'zod';
import { defineTool, loopAgent } from '../../dist/agents/index.js';
import { Supervisor } from '../../dist/control/index.js';
import { SqliteLog } from '../../dist/log/index.js';
import { startServer } from '../../dist/server/index.js';
import { scriptedModel } from '../../dist/testing/index.js';

const [file, port] = process.argv.slice(2);

const note = defineTool({
  name: 'note',
  description: 'takes a note',
  input: z.object({ number: z.number() }),
  repeatable: true,
  execute: ({ number }) => ({ context: `noted ${number}` }),
});
const steps = 25;
const model = scriptedModel(
  ({ step }) =>
    step < steps
      ? {
          delayMs: 4,
          parts: [
            { text: `This is step ${step}, and it takes a few words to say so, as long as nobody stops me.` },
            { toolCall: { id: `c${step}`, name: 'note', input: { number: step } } },
          ],
        }
      : 'That was the last step.',
  { keepRequests: 0 },
);
const permissions = { default: 'allow', rules: [] };
const lasting = loopAgent({ id: 'lasting', model, tools: [note], permissions });
const mortal = { ...loopAgent({ id: 'mortal', model, tools: [note], permissions }), abilities: { hasOwnModel: true } };
const agents = [lasting, mortal];

const log = new SqliteLog(file, { pollMs: 500 });
const control = new Supervisor({ log, agents, leaseMs: 2000 });
const server = await startServer({
  log,
  control,
  agents: { list: () => agents.map(({ id }) => ({ id, name: id })), get: id => agents.find(each => each.id === id) },
  port: Number(port),
  logStyle: 'off',
});
await control.recover();
console.log(server.url);
await once(process, 'SIGTERM');
await server.close();
await control.close();
await log.close();
