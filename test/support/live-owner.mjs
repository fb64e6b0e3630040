// Owns a run of an external agent over its live channel until something ends it.
// usage: node live-owner.mjs <log file> <agent> <JSON of its options> <outcome, or "none">
// Answers the first request with the outcome, and prints "waiting" when the request is open, or its call has started.
import { cliAgent } from '../../dist/agents/index.js';
import { Supervisor } from '../../dist/control/index.js';
import { SqliteLog } from '../../dist/log/index.js';

const [file, name, options, outcome] = process.argv.slice(2);
const log = new SqliteLog(file);
const agent = cliAgent(name, JSON.parse(options));
const supervisor = new Supervisor({ log, agents: [agent] });
await log.createThread({ id: 'thread' });
await supervisor.start('thread', { agent, content: 'remember periwinkle' });
for await (const event of log.tail('thread', 0)) {
  if (event.type === 'relay' && outcome !== 'none') await supervisor.answer('thread', event.id, { outcome });
  if (event.type === (outcome === 'none' ? 'relay' : 'tool_start')) process.stdout.write('waiting\n');
}
