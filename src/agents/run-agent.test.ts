import { describe, expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { MemoryLog } from '../log/memory-log.ts';
import { readEvents } from '../log/read-events.ts';
import { Supervisor } from '../control/supervision/supervisor.ts';
import { defineTool } from './loop/tool.ts';
import { isEndOf } from './contract/agent.ts';
import { loopAgent } from './loop/loop-agent.ts';
import type { RunResult } from './contract/run-result.ts';
import { scriptedModel } from './model/scripted/scripted-model.ts';

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers',
  input: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});
const callsAdd = [{ text: 'I will add.' }, { toolCall: { name: 'add', input: { a: 1, b: 2 } } }];
const adder = () =>
  loopAgent({ id: 'adder', model: scriptedModel([callsAdd, 'It is 3.']), tools: [add], permissions: 'allow' });

describe('agent.run', () => {
  it('resolves with the last text and the usage of all steps, without a log', async () => {
    const { text, usage, error, reason } = await adder().run('What is 1 + 2?');
    expect({ text, error, reason }).toEqual({ text: 'It is 3.', error: undefined, reason: 'complete' });
    expect(usage.outputTokens).toBeGreaterThan(0);
  });

  it('denies what a person would be asked, without a supervisor', async () => {
    const agent = loopAgent({ model: scriptedModel([callsAdd, 'I may not.']), tools: [add], permissions: 'ask' });
    expect(await agent.run('What is 1 + 2?')).toMatchObject({ text: 'I may not.', reason: 'complete' });
  });

  it('has the output of the schema, with its type', async () => {
    const output = z.object({ sum: z.number() });
    const agent = loopAgent({ id: 'typed', model: scriptedModel(['{"sum":3}']), output });
    const result = await agent.run('What is 1 + 2?');
    expectTypeOf(result).toEqualTypeOf<RunResult<{ sum: number }>>();
    expect(result.output?.sum).toBe(3);
    expectTypeOf(await adder().run('x')).toEqualTypeOf<RunResult>();
  });

  it('resolves with the error of a run that failed', async () => {
    const output = z.object({ sum: z.number() });
    const agent = loopAgent({ model: scriptedModel(['no', 'no', 'no']), output });
    const { error, reason } = await agent.run('What is 1 + 2?');
    expect(reason).toBe('error');
    expect(error).toMatchObject({ code: 'invalid_output', message: expect.stringContaining('does not match') });
  });

  it('stores the run with a supervisor, in a new thread or the one that is named', async () => {
    const log = new MemoryLog();
    const supervisor = new Supervisor({ log });
    const first = await adder().run('What is 1 + 2?', { supervisor });
    const [thread] = await log.listThreads();
    const again = loopAgent({ model: scriptedModel(['Yes.']) });
    await again.run('Sure?', { supervisor, threadId: thread?.id ?? '' });
    expect(first.text).toBe('It is 3.');
    const said = [];
    for await (const event of readEvents(log, thread?.id ?? '')) if (event.type === 'user') said.push(event.content);
    expect(said).toEqual(['What is 1 + 2?', 'Sure?']);
    await supervisor.close();
  });

  it('is aborted by its signal, in memory and with a supervisor', async () => {
    for (const supervisor of [undefined, new Supervisor({ log: new MemoryLog() })]) {
      const stop = new AbortController();
      const waits = defineTool({
        name: 'add',
        description: '',
        input: z.object({}),
        execute: (_, { signal }) => {
          stop.abort();
          return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        },
      });
      const agent = loopAgent({ model: scriptedModel([callsAdd, 'never']), tools: [waits], permissions: 'allow' });
      const result = await agent.run('Wait', { signal: stop.signal, ...(supervisor && { supervisor }) });
      expect(result.reason).toBe('aborted');
      await supervisor?.close();
    }
  });

  it.each<[string, object, string]>([
    ['', {}, 'prompt'],
    ['Hello', { supervisr: {} }, 'did you mean `supervisor`?'],
    ['Hello', { supervisor: {} }, 'new Supervisor({ log })'],
  ])('refuses %j with %j', async (prompt, options, message) => {
    const running = adder().run(prompt, options);
    await expect(running).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(message),
    });
  });
});

describe('the end of a run', () => {
  it('has the output of its agent with its type', async () => {
    const agent = loopAgent({
      id: 'typed',
      model: scriptedModel(['{"sum":3}']),
      output: z.object({ sum: z.number() }),
    });
    const other = adder();
    for await (const event of agent.invoke({ conversation: { messages: [{ role: 'user', content: '1 + 2' }] } })) {
      expect(isEndOf(event, other)).toBe(false);
      if (!isEndOf(event, agent)) continue;
      expectTypeOf(event.output).toEqualTypeOf<{ sum: number } | undefined>();
      expect(event.output?.sum).toBe(3);
    }
    expect.hasAssertions();
  });
});
