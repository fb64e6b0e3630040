import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  agentTool,
  cliAgent,
  connectAllMcp,
  connectMcp,
  createModelRegistry,
  createOrchestrator,
  findLocalServers,
  loopAgent,
  modelAgent,
  rlmAgent,
  SessionPool,
  workspace,
  workspaceTools,
} from '../src/agents/index.ts';
import { createClient } from '../src/client/index.ts';
import { loadConfig } from '../src/config/index.ts';
import { Conversations, Harness, mastraAgent, Supervisor, ThreadRewind } from '../src/control/index.ts';
import { createConversation, defaultActive } from '../src/graph/index.ts';
import { checkStore, importThread, MemoryLog, SqliteLog, ThreadWriter } from '../src/log/index.ts';
import {
  dagFold,
  messagesFold,
  projectDAG,
  projectMessages,
  projectThread,
  threadFold,
} from '../src/projections/index.ts';
import { activityEncoder, aiSdkEncoder, flowEncoder, RequestFold, uiMessages } from '../src/protocols/index.ts';
import { createRuntime, planTool } from '../src/runtime/index.ts';
import { createApp, startServer } from '../src/server/index.ts';
import { logConformance, scriptedModel, startScriptedServer } from '../src/testing/index.ts';
import { foldSpans, Telemetry } from '../src/telemetry/index.ts';
import { publicNames } from './support/public-names.ts';
import { scriptedAgent } from './support/scripted-agent.ts';

type Make = (options: never) => unknown;

const agent = scriptedAgent('a', async function* () {});
const log = new MemoryLog();
const control = new Supervisor({ log });
const agents = { list: () => [], get: () => undefined };
const served = { log, control, agents };

const runtime = createRuntime({ agent, resourceId: 'r' });
const rewind = new ThreadRewind({ log, snapshots: '/never/made' });
const client = createClient({ baseUrl: 'http://127.0.0.1:1' });
const conversation = createConversation();
const active = defaultActive(conversation);
const mastra = { id: 'm', getInstructions: () => '', listTools: () => ({}), getModel: () => 'a/b' };
const server = { name: 's', command: '/never/run' };

const makers: Record<string, Make> = {
  'new Supervisor': options => new Supervisor(options),
  'new Conversations': options => new Conversations(options),
  'new Telemetry': options => new Telemetry(options),
  foldSpans: options => foldSpans([], options),
  'new Harness': options => new Harness(options),
  startServer: options => startServer(options),
  createApp: options => createApp(options),
  createClient: options => createClient(options),
  createRuntime: options => createRuntime(options),
  createOrchestrator: options => createOrchestrator(options),
  createModelRegistry: options => createModelRegistry(options),
  planTool: options => planTool(options),
  agentTool: options => agentTool(options),
  workspace: options => workspace('.', options),
  workspaceTools: options => workspaceTools('.', options),
  cliAgent: options => cliAgent('claude', options),
  connectMcp: options => connectMcp(server, options),
  connectAllMcp: options => connectAllMcp({ mcpServers: {} }, options),
  findLocalServers: options => findLocalServers(options),
  modelAgent: options => modelAgent('a/b', options),
  loopAgent: options => loopAgent(options),
  rlmAgent: options => rlmAgent(options),
  'new SessionPool': options => new SessionPool(options),
  'orchestrator.spawn': options => createOrchestrator().spawn(agent, options),
  mastraAgent: options => mastraAgent(mastra, options),
  start: options => control.start('t', options),
  retry: options => control.retry('t', options),
  abort: options => control.abort('r', options),
  abortAll: options => control.abortAll('t', options),
  'new ThreadRewind': options => new ThreadRewind(options),
  'rewind.undo': options => rewind.undo('t', options),
  'rewind.redo': options => rewind.redo('t', options),
  loadConfig: options => loadConfig(options),
  'new ThreadWriter': options => new ThreadWriter(log, 't', options),
  checkStore: options => checkStore(log, options),
  importThread: options => importThread(log, [], options),
  projectThread: options => projectThread(conversation, active, options),
  threadFold: options => threadFold(options),
  projectMessages: options => projectMessages(conversation, active, options),
  messagesFold: options => messagesFold(options),
  projectDAG: options => projectDAG(conversation, active, options),
  dagFold: options => dagFold(options),
  flowEncoder: options => flowEncoder(options),
  aiSdkEncoder: options => aiSdkEncoder(options),
  activityEncoder: options => activityEncoder(options),
  uiMessages: options => uiMessages([], options),
  'new RequestFold': options => new RequestFold(options),
  'client.watch': options => client.watch('t', options)[Symbol.asyncIterator]().next(),
  'client.watchThreads': options => client.watchThreads(options)[Symbol.asyncIterator]().next(),
  scriptedModel: options => scriptedModel([], options),
  startScriptedServer: options => startScriptedServer(options),
  logConformance: options => logConformance({ describe: () => {}, it: () => {} }, options),
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
    ['new Conversations', { log, control, agent: agents }, 'has no option `agent`: did you mean `agents`?'],
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

  it.each(Object.keys(makers))('%s refuses an option that it does not have', async maker => {
    expect(await refusal(maker, { neverAnOption: 1 })).toContain('has no option `neverAnOption`');
  });

  it.each<[string, object, string]>([
    ['loopAgent', { model: 'a/b', retry: { maxRetry: 1 } }, '`retry.maxRetry`: did you mean `retry.maxRetries`?'],
    ['loopAgent', { model: 'a/b', settings: { temprature: 1 } }, 'did you mean `settings.temperature`?'],
    ['loopAgent', { model: 'a/b', compaction: { treshold: 1 } }, 'did you mean `compaction.threshold`?'],
    ['rlmAgent', { model: 'a/b', limits: { maxQuery: 1 } }, 'did you mean `limits.maxQueries`?'],
    ['agentTool', { agents: [], budget: { costs: 1 } }, 'did you mean `budget.cost`?'],
    ['workspaceTools', { fetch: { maxByte: 1 } }, 'did you mean `fetch.maxBytes`?'],
    ['startServer', { ...served, port: 0, attempts: { windowMS: 1 } }, 'did you mean `attempts.windowMs`?'],
  ])('%s refuses a misspelt name inside an option: %#', async (maker, options, message) => {
    expect(await refusal(maker, options)).toContain(message);
  });

  it('has a check that names every option, by its type', () => {
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map(file => readFileSync(`src/${file}`, 'utf8'));
    const unchecked = [...publicNames().keys()]
      .filter(name => name.endsWith('Options'))
      .filter(
        name =>
          !sources.some(code => new RegExp(`(?:keyof |optionsCheck<|OptionFields<|listNames<)${name}\\b`).test(code)),
      );
    expect(unchecked.toSorted()).toEqual([
      // The arguments of Harness methods have their own schemas.
      'HarnessDisplayStateSubscriptionOptions',
      // Made of the options of the loop.
      'MastraAgentOptions',
      // Passed by the library: to encoders, and to translators.
      'ProtocolOptions',
      'TranslatorOptions',
    ]);
  });

  it.each<[string, object]>([
    ['new Supervisor', { log, agents: [{ id: 'm', getInstructions: () => '' }] }],
    ['createRuntime', { resourceId: 'r', agent: { id: 'm', getInstructions: () => '' } }],
  ])('%s names the adapter for an agent of Mastra', async (maker, options) => {
    expect(await refusal(maker, options)).toContain('an agent of Mastra is passed as `mastraAgent(agent)`');
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
    ['new Supervisor', { log, agents: ['a'] }, 'was given "a" as `agents.0`: expected an agent'],
    ['new Supervisor', { log, agents: 'a' }, 'expected an array of agents, or a function that finds one'],
    ['new Supervisor', { log, leaseMs: 0 }, 'was given 0 as `leaseMs`'],
    ['startServer', { ...served, port: '80' }, 'was given "80" as `port`: expected number'],
    ['startServer', { ...served, port: 0, tokens: ['secret'] }, 'as `tokens.0`: expected object'],
    ['startServer', { ...served, port: 0, protocols: { mine: {} } }, 'as `protocols.mine.description`'],
    [
      'createClient',
      { baseUrl: 'localhost:4747' },
      'was given "localhost:4747" as `baseUrl`: expected an address such as "http',
    ],
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
