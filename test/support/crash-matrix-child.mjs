// Runs or continues one scripted run on a log, and kills itself with SIGKILL once so many events are stored.
// usage: node crash-matrix-child.mjs <log file> <effects file> [events before the kill]
import { appendFileSync } from 'node:fs';
import * as z from 'zod';
import { defineTool, loopAgent } from '../../dist/agents/index.js';
import { Supervisor } from '../../dist/control/index.js';
import { SqliteLog } from '../../dist/log/index.js';
import { scriptByStep, scriptedModel } from '../../dist/testing/index.js';

const [file, effects, killAfter = 'never'] = process.argv.slice(2);

const note = defineTool({
  name: 'note',
  description: 'writes a line that cannot be taken back',
  input: z.object({ line: z.string() }),
  execute: ({ line }, { progress }) => {
    progress(`writing ${line}`);
    appendFileSync(effects, `${line}\n`);
    return { context: `noted ${line}` };
  },
});
const call = (id, line) => ({ toolCall: { id, name: 'note', input: { line } } });
const model = scriptedModel(
  scriptByStep([
    [{ reasoning: 'Two notes come first.' }, { text: 'I will take two notes.' }, call('c1', 'one'), call('c2', 'two')],
    [{ text: 'Now one that needs your word.' }, call('c3', 'three')],
    [{ text: 'And a last one.' }, call('c4', 'four'), call('c5', 'five')],
    'All five are noted.',
  ]),
);
const agent = loopAgent({
  model,
  tools: [note],
  permissions: {
    default: 'allow',
    rules: [
      { tool: 'note', input: { line: 'three' }, policy: 'ask' },
      { tool: 'note', input: { line: 'five' }, policy: 'ask' },
    ],
  },
});

const log = new SqliteLog(file);
let stored = 0;
const append = log.append.bind(log);
log.append = async (...args) => {
  const appended = await append(...args);
  stored += args[1].length;
  if (stored >= Number(killAfter)) process.kill(process.pid, 'SIGKILL');
  return appended;
};

const [known] = await log.listThreads();
const thread = known ?? (await log.createThread({ id: 'thread' }));
const supervisor = new Supervisor({ log, agents: [agent], owner: 'the only one' });
const followed = new AbortController();
const answering = (async () => {
  const answered = new Set();
  for await (const event of log.tail(thread.id, 0, { signal: followed.signal })) {
    if (event.type === 'relay_resolved') answered.add(event.relayId);
    if (event.type !== 'relay') continue;
    const resolved = (await log.read(thread.id, { after: event.seq })).some(later => later.relayId === event.id);
    if (!resolved && !answered.has(event.id)) await supervisor.answer(thread.id, event.id, { outcome: 'approve' });
  }
})();
const [open] = known
  ? await supervisor.recover()
  : [await supervisor.start(thread.id, { agent, content: 'Take notes.' })];
const started = (await log.read(thread.id, { limit: 2 })).some(event => event.type === 'user');
const run =
  open ?? (known && started ? undefined : await supervisor.start(thread.id, { agent, content: 'Take notes.' }));
await run?.done;
followed.abort();
await answering;
await supervisor.close();
await log.close();
