import { describe, expect, it } from 'vitest';
import { createModelRegistry, createOrchestrator } from '../src/agents/index.ts';
import { createClient } from '../src/client/index.ts';
import { Harness, Supervisor } from '../src/control/index.ts';
import { MemoryLog, SqliteLog } from '../src/log/index.ts';
import { createRuntime, planTool } from '../src/runtime/index.ts';
import { createApp, startServer } from '../src/server/index.ts';
import { scriptedAgent } from './support/scripted-agent.ts';

type Make = (options: never) => unknown;

const agent = scriptedAgent('a', async function* () {});
const log = new MemoryLog();
const control = new Supervisor({ log });
const agents = { list: () => [], get: () => undefined };
const served = { log, control, agents };

const runtime = createRuntime({ agent, resourceId: 'r' });

const makers: Record<string, Make> = {
  'new Supervisor': options => new Supervisor(options),
  'new Harness': options => new Harness(options),
  startServer: options => startServer(options),
  createApp: options => createApp(options),
  createClient: options => createClient(options),
  createRuntime: options => createRuntime(options),
  createOrchestrator: options => createOrchestrator(options),
  createModelRegistry: options => createModelRegistry(options),
  planTool: options => planTool(options),
  'new MemoryLog': options => new MemoryLog(options),
  'new SqliteLog': options => new SqliteLog('/never/made.db', options),
  'runtime.query': options => runtime.query('Hello', options).next(),
  'runtime.runSpecialist': options => runtime.runSpecialist('s', 'Hello', options).next(),
  'runtime.watch': options => runtime.watch('t', options).next(),
  'runtime.respondToApproval': options => runtime.respondToApproval('r', 'approve', options),
  'runtime.pendingApprovals': options => runtime.pendingApprovals(options),
};

async function refusal(maker: string, options: object): Promise<string> {
  const error: unknown = await (async () => makers[maker]?.(options as never))().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'invalid_argument' });
  return (error as Error).message;
}

describe('a public constructor', () => {
  it.each<[string, object, string]>([
    ['new Supervisor', { log, agent: [agent] }, 'has no option `agent`: did you mean `agents`?'],
    ['new Harness', { id: 'h', modes: [], storge: log }, 'has no option `storge`: did you mean `storage`?'],
    ['startServer', { ...served, port: 0, token: [] }, 'has no option `token`: did you mean `tokens`?'],
    ['createApp', { ...served, webroot: '.' }, 'has no option `webroot`: did you mean `webRoot`?'],
    ['createClient', { baseURL: 'http://localhost' }, 'has no option `baseURL`: did you mean `baseUrl`?'],
    ['createRuntime', { agent, resourceId: 'r', approval: {} }, 'has no option `approval`: did you mean `approvals`?'],
    ['createOrchestrator', { graceMS: 1 }, 'has no option `graceMS`: did you mean `graceMs`?'],
    ['createModelRegistry', { provider: [] }, 'has no option `provider`: did you mean `providers`?'],
    ['planTool', { execute: () => '', nane: 'p' }, 'has no option `nane`: did you mean `name`?'],
    ['new MemoryLog', { maxEventsBytes: 1 }, 'has no option `maxEventsBytes`: did you mean `maxEventBytes`?'],
    ['new SqliteLog', { durabilty: 'power' }, 'has no option `durabilty`: did you mean `durability`?'],
    ['runtime.query', { threadID: 't' }, 'has no option `threadID`: did you mean `threadId`?'],
    ['runtime.runSpecialist', { threadId: 't', modl: 'a/b' }, 'has no option `modl`: did you mean `model`?'],
    ['runtime.watch', { afterSeq: 1 }, 'has no option `afterSeq`'],
    ['runtime.respondToApproval', { feedbck: 'no' }, 'has no option `feedbck`: did you mean `feedback`?'],
    ['runtime.pendingApprovals', { thread: 't' }, 'has no option `thread`'],
  ])('%s refuses a misspelt option and names the one that is meant', async (maker, options, message) => {
    expect(await refusal(maker, options)).toContain(`\`${maker}\` ${message}`);
  });

  it.each<[string, object, string]>([
    ['new Supervisor', {}, 'was given nothing as `log`: expected an event log'],
    ['startServer', served, 'was given nothing as `port`'],
    ['startServer', { ...served, log: undefined, port: 0 }, 'was given nothing as `log`: expected an event log'],
    ['createApp', { log, agents }, 'was given nothing as `control`: expected the control of runs'],
    ['planTool', {}, 'was given nothing as `execute`: expected a function'],
    ['createRuntime', { agent }, 'was given nothing as `resourceId`: expected a string that is not empty'],
  ])('%s refuses to work without what it needs: %#', async (maker, options, message) => {
    expect(await refusal(maker, options)).toContain(`\`${maker}\` ${message}`);
  });

  it.each<[string, object, string]>([
    [
      'new Supervisor',
      { log, agents: ['a'] },
      'as `agents`: expected an array of agents, or a function that finds one',
    ],
    ['new Supervisor', { log, leaseMs: 0 }, 'was given 0 as `leaseMs`'],
    ['startServer', { ...served, port: '80' }, 'was given "80" as `port`: expected number'],
    ['startServer', { ...served, port: 0, tokens: ['secret'] }, 'as `tokens.0`: expected object'],
    ['startServer', { ...served, port: 0, protocols: { mine: {} } }, 'as `protocols.mine.description`'],
    ['createClient', { idleMs: 'long' }, 'was given "long" as `idleMs`: expected milliseconds'],
    ['createRuntime', { agent: 'a', resourceId: 'r' }, 'was given "a" as `agent`: expected an agent'],
    ['createRuntime', { agent, resourceId: 'r', approvals: { flor: {} } }, '`floor`'],
    ['createOrchestrator', { graceMs: -1 }, 'was given -1 as `graceMs`'],
    ['new SqliteLog', { durability: 'disk' }, 'was given "disk" as `durability`: expected "process" or "power"'],
    ['runtime.watch', { signal: 1 }, 'was given 1 as `signal`: expected an AbortSignal'],
  ])('%s refuses a value that it cannot use: %#', async (maker, options, message) => {
    expect(await refusal(maker, options)).toContain(message);
  });
});
