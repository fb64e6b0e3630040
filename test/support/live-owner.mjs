// Owns a run of an external agent over its live channel until something ends it.
// usage: node live-owner.mjs <log file> <agent> <JSON of its options> <outcome, or "none"> [ms of the lease, prompts…]
// Sends the prompts one after the other, answers requests with the outcome, and prints "waiting" when a request is open,
// or its call has started.
import { cliAgent } from '../../dist/agents/index.js';
import { Supervisor } from '../../dist/control/index.js';
import { SqliteLog } from '../../dist/log/index.js';

const [file, name, options, outcome, leaseMs, ...prompts] = process.argv.slice(2);
const log = new SqliteLog(file);
const agent = cliAgent(name, JSON.parse(options));
const supervisor = new Supervisor({ log, agents: [agent], ...(leaseMs && { leaseMs: Number(leaseMs) }) });
await log.createThread({ id: 'thread' });
const last = prompts.pop() ?? 'remember periwinkle';
for (const content of prompts) await (await supervisor.start('thread', { agent, content })).done;
await supervisor.start('thread', { agent, content: last });
for await (const event of log.tail('thread', 0)) {
  if (event.type === 'relay' && outcome !== 'none') await supervisor.answer('thread', event.id, { outcome });
  if (event.type === (outcome === 'none' ? 'relay' : 'tool_start')) process.stdout.write('waiting\n');
}
