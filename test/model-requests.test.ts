import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  type Agent,
  agentTool,
  defineTool,
  loopAgent,
  modelAgent,
  type PermissionRuleSet,
  readSavedStream,
  rlmAgent,
} from '../src/agents/index.ts';
import { type ModelScript, scriptByStep } from '../src/agents/model/scripted/script.ts';
import { scriptedModel } from '../src/agents/model/scripted/scripted-model.ts';
import { Supervisor } from '../src/control/index.ts';
import { type AgentEvent, checkOrder, type EventOf, type EventType } from '../src/events/index.ts';
import { exportThread, importThread, MemoryLog } from '../src/log/index.ts';
import type { Message } from '../src/projections/message.ts';
import { projectReport, projectRequest } from '../src/projections/index.ts';
import { memoryScene, newMemoryThread, observersEnded, say, smallLimits } from './support/memory-scene.ts';
import { requestHashes } from './support/request-hashes.ts';

const permissions: PermissionRuleSet = { default: 'allow', rules: [] };
const tool = (name: string, description: string, output = 'done') =>
  defineTool({ name, description, input: z.object({ value: z.string() }), execute: () => output });
const loop = (script: ModelScript, more: Partial<Parameters<typeof loopAgent>[0]> = {}) =>
  loopAgent({ model: scriptedModel(script), permissions, ...more });
const call = (name: string) => ({ toolCall: { name, input: { value: 'x' } } });
const of = <Type extends EventType>(events: readonly AgentEvent[], type: Type): EventOf<Type>[] =>
  events.filter((event): event is EventOf<Type> => event.type === type);

async function openThread() {
  const log = new MemoryLog();
  const { id: threadId } = await log.createThread();
  const supervisor = new Supervisor({ log });
  const ask = async (agent: Agent, content: string, thread = threadId) =>
    (await supervisor.start(thread, { agent, content })).done;
  return { log, threadId, supervisor, ask };
}

/** Checks that the log gives the request of every step; returns the steps. */
function expectRequests(events: readonly AgentEvent[], history?: readonly Message[]): EventOf<'step_start'>[] {
  expect(checkOrder(events)).toEqual([]);
  const { steps, stated, fromEvents } = requestHashes(events, history);
  expect(fromEvents).toEqual(stated);
  return steps.filter(step => step.type === 'step_start');
}

describe('the log gives the request of each step, byte for byte', () => {
  it('of a loop: tools, long outputs, settings, an attempt that failed, the last step, and later turns', async () => {
    const { log, threadId, ask } = await openThread();
    const script = scriptByStep([
      [{ text: 'Let me see.' }, call('long')],
      { httpStatus: 500, message: 'busy' },
      [call('short'), call('long')],
      'Done.',
    ]);
    const tools = [tool('long', 'is long', 'word '.repeat(500)), tool('short', 'is short')];
    const settings = { temperature: 0.2, headers: { 'x-team': 'our-secret' } };
    const retry = { delay: async () => {} };
    const agent = loop(script, {
      tools,
      settings,
      retry,
      maxOutputLength: 200,
      maxIterations: 3,
      instructions: 'Be kind.',
    });
    await ask(agent, 'Look.');
    await ask(agent, 'Again.');
    await ask(modelAgent(scriptedModel(['Hello.']), { instructions: 'Be short.' }), 'Hi.');
    const events = await log.read(threadId);
    expect(expectRequests(events).length).toBeGreaterThan(5);
    expect(JSON.stringify(events)).not.toContain('our-secret');
  });

  it('of a conversation that is compacted', async () => {
    const { log, threadId, ask } = await openThread();
    const model = scriptedModel(({ messages }) =>
      messages.at(-1)?.text.includes('summary') ? 'Short.' : 'word '.repeat(200),
    );
    const agent = loopAgent({ model, compaction: { threshold: 400, keep: 100 } });
    for (let turn = 0; turn < 6; turn++) await ask(agent, `Question ${turn}`);
    const events = await log.read(threadId);
    expect(of(events, 'summary').length).toBeGreaterThan(0);
    expect(of(events, 'summary').map(({ contextId }) => typeof contextId)).not.toContain('undefined');
    expectRequests(events);
  });

  it('of a subagent', async () => {
    const { log, threadId, ask } = await openThread();
    const child = loop(scriptByStep([[call('short')], 'Found.']), { id: 'child', tools: [tool('short', 'is short')] });
    const parent = loop(scriptByStep([[{ toolCall: { name: 'agent', input: { task: 'find it' } } }], 'Done.']), {
      tools: [agentTool({ agents: [{ agent: child, description: 'finds' }] })],
    });
    await ask(parent, 'Find it.');
    const steps = expectRequests(await log.read(threadId));
    expect(steps).toHaveLength(4);
    expect(steps.filter(({ messages }) => messages !== undefined)).toHaveLength(1);
  });

  it('of a recursive language model and its queries', async () => {
    const { log, threadId, ask } = await openThread();
    const js = (code: string) => `\`\`\`js\n${code}\n\`\`\``;
    const answers = [
      js('print(await llm_query("", context))'),
      'No code.',
      js('print("x".repeat(5000))'),
      js('FINAL("it")'),
    ];
    let asked = 0;
    const model = scriptedModel(({ messages }) =>
      messages[0]?.role === 'system' ? (answers[asked++ % 4] ?? '') : 'Yes.',
    );
    const agent = rlmAgent({ model, context: 'A long text.', limits: { maxShownLength: 300, maxDepth: 1 } });
    await ask(agent, 'What is it?');
    await ask(agent, 'And now?');
    expect(expectRequests(await log.read(threadId))).toHaveLength(10);
  });

  it('of observers, reflectors, and the runs that have their observations', async () => {
    const thread = await newMemoryThread();
    const { agent, reflected } = memoryScene({ memory: { ...smallLimits, reflection: { threshold: 60 } } });
    for (let turn = 1; turn <= 14; turn++) {
      await say(thread, agent, `Tell me of topic-${turn}.`);
      await observersEnded(thread);
    }
    const events = await thread.log.read(thread.threadId, { limit: 10_000 });
    const steps = expectRequests(events);
    const sent = (agentId: string) =>
      steps.filter(({ runId }) =>
        of(events, 'harness_start').some(start => start.agentId === agentId && start.runId === runId),
      );
    expect(reflected.length).toBeGreaterThan(0);
    expect(sent('reflector')).toHaveLength(reflected.length);
    expect(sent('observer').length).toBeGreaterThan(0);
    const kinds = of(events, 'summary').flatMap(({ active, kind }) => (active === false ? [] : kind));
    expect(new Set(kinds)).toEqual(new Set(['observation', 'reflection']));
  });

  it('of an agent that is invoked without a thread, with the messages it was given', async () => {
    const messages: Message[] = [
      { role: 'system', content: 'Speak Latin.' },
      { role: 'user', content: 'Go.' },
    ];
    const agent = loop(scriptByStep([[call('short')], 'Done.']), { tools: [tool('short', 'is short')] });
    const events: AgentEvent[] = [];
    for await (const event of agent.invoke({ conversation: { messages } })) events.push(event);
    expect(expectRequests(events, messages)).toHaveLength(2);
    expect(of(events, 'model_context')).toHaveLength(1);
  });

  it('is undefined for an external program that reports only names, which are stored once per thread', async () => {
    const raw = await readFile('test/cli-agents/fixtures/claude@2.1.325/hello/raw.jsonl', 'utf8');
    const agent: Agent = { id: 'claude', invoke: ({ run: { runId } }) => readSavedStream('claude', [raw], { runId }) };
    const { log, threadId, ask } = await openThread();
    for (const content of ['One.', 'Two.']) await ask(agent, content);
    const events = await log.read(threadId);
    expect(of(events, 'model_context')).toMatchObject([{ provider: 'claude', reported: true }]);
    const steps = of(events, 'step_start');
    expect(steps).toHaveLength(2);
    for (const step of steps) {
      expect(projectRequest(events, step)).toBeUndefined();
      const { model, settings, tools } = projectReport(events, step) ?? {};
      expect([model, settings?.['permissionMode'], tools?.[1]]).toEqual([
        'claude-sonnet-4-5',
        'bypassPermissions',
        { name: 'Bash' },
      ]);
    }
  });

  it('is undefined for a step without a context, as other external agents have', () => {
    const step: EventOf<'step_start'> = { type: 'step_start', runId: 'r', step: 0 };
    expect(projectRequest([{ type: 'harness_start', runId: 'r', agentId: 'a' }, step], step)).toBeUndefined();
  });
});

describe('a context', () => {
  it('is stored once per thread and change; turns, retries and forks add none', async () => {
    const { log, threadId, supervisor, ask } = await openThread();
    const agent = loop(() => 'Done.', { instructions: 'Be kind.', tools: [tool('short', 'is short')] });
    await ask(agent, 'One.');
    await ask(agent, 'Two.');
    const [context] = of(await log.read(threadId), 'model_context');
    const fork = await log.branch(threadId, (await log.getThread(threadId))?.seq ?? 0);
    await ask(agent, 'Three.', fork.id);
    await supervisor.close();
    const again = new Supervisor({ log });
    await (await again.start(fork.id, { agent, content: 'Four.' })).done;
    const events = await log.read(fork.id);
    expect(of(events, 'model_context')).toEqual([context]);
    expect(of(events, 'step_start').map(({ contextId }) => contextId)).toEqual(
      Array.from({ length: 4 }, () => context?.id),
    );
    expectRequests(events);
  });

  it('has a long tool once, however often instructions change', async () => {
    const { log, threadId, ask } = await openThread();
    const long = 'a long description '.repeat(2_000);
    let turn = 0;
    const tools = [tool('one', long), tool('two', long)];
    const agent = loop(() => 'Done.', { instructions: () => `Turn ${turn}.`, tools });
    for (; turn < 10; turn++) await ask(agent, 'Go.');
    const events = await log.read(threadId);
    expect(of(events, 'model_context')).toHaveLength(10);
    expect(JSON.stringify(events).length).toBeLessThan(2 * long.length + 20_000);
    expectRequests(events);
  });

  it('that was imported is stored again: its content may not be what its id says', async () => {
    const { log, threadId, ask } = await openThread();
    const agent = loop(() => 'Done.', { instructions: 'Be kind.' });
    await ask(agent, 'One.');
    const lines: string[] = [];
    for await (const line of exportThread(log, threadId)) lines.push(line.replace('Be kind.', 'Be evil.'));
    const { id } = await importThread(log, lines);
    await ask(agent, 'Two.', id);
    const events = await log.read(id);
    expect(of(events, 'model_context').map(({ instructions }) => instructions)).toEqual(['Be evil.', 'Be kind.']);
    const { stated, fromEvents } = requestHashes(events);
    expect(fromEvents[1]).toBe(stated[1]);
  });
});
