// Serves a log that other servers share, with agents whose tools record each side effect as a line of a file.
// usage: node shared-server.mjs <log file> <folder> [lease in milliseconds]
import { appendFileSync, existsSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { defineTool, loopAgent } from '../../dist/agents/index.js';
import { Supervisor } from '../../dist/control/index.js';
import { SqliteLog } from '../../dist/log/index.js';
import { startServer } from '../../dist/server/index.js';
import { scriptedModel } from '../../dist/testing/index.js';

const [file, folder, leaseMs] = process.argv.slice(2);
const effect = text => appendFileSync(join(folder, 'effects.txt'), `${process.pid} ${text}\n`);
const input = z.object({ name: z.string() });

const note = defineTool({
  name: 'note',
  description: 'takes a note',
  input,
  execute: ({ name }) => {
    effect(`note ${name}`);
    return { context: 'noted' };
  },
});
const hold = defineTool({
  name: 'hold',
  description: 'waits for a file',
  input,
  execute: async ({ name }, { signal }) => {
    effect(`hold ${name}`);
    while (!existsSync(join(folder, name)) && !signal.aborted) await delay(10);
    effect(`${signal.aborted ? 'stopped' : 'held'} ${name}`);
    return { context: 'held' };
  },
});
const block = defineTool({
  name: 'block',
  description: 'blocks the event loop until there is a file',
  input,
  execute: ({ name }) => {
    effect(`block ${name}`);
    while (!existsSync(join(folder, name))) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    return { context: 'unblocked' };
  },
});

/** Calls the tool that the first message names, with the word after it, then lists the messages it was sent. */
const model = scriptedModel(
  ({ messages }) => {
    const [name, word] = messages.find(({ role }) => role === 'user').text.split(' ');
    if (!messages.some(({ role }) => role === 'tool')) return { toolCall: { id: 'c', name, input: { name: word } } };
    return `Heard: ${messages
      .filter(({ role }) => role === 'user')
      .map(({ text }) => text)
      .join(', ')}.`;
  },
  { keepRequests: 0 },
);
const tools = [note, hold, block];
const rules = [{ tool: 'note', policy: 'ask' }];
const worker = loopAgent({ id: 'worker', model, tools, permissions: { default: 'allow', rules } });
/** An external program: it has a session, and its runs cannot be resumed. */
const external = {
  id: 'external',
  async *invoke({ run: { runId, parentId, signal }, conversation: { session } }) {
    yield { type: 'harness_start', runId, agentId: 'external', parentId };
    yield { type: 'session', runId, sessionId: session?.id ?? 'first' };
    yield { type: 'text', runId, id: 't', content: session === undefined ? 'new' : `resumed ${session.id}` };
    if (session === undefined) await new Promise(resolve => signal.addEventListener('abort', resolve));
    yield { type: 'harness_end', runId, agentId: 'external', reason: signal.aborted ? 'aborted' : 'complete' };
  },
};
const agents = [worker, external];

const log = new SqliteLog(file);
const control = new Supervisor({ log, agents, ...(leaseMs && { leaseMs: Number(leaseMs) }) });
const server = await startServer({
  log,
  control,
  agents: { list: () => agents.map(({ id }) => ({ id, name: id })), get: id => agents.find(each => each.id === id) },
  port: 0,
  logStyle: 'off',
});
await control.recover();
await server.resume();
console.log(server.url);
await once(process, 'SIGTERM');
await server.close();
await control.close();
await log.close();
