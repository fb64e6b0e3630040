import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentEvent, EventOf, EventType } from '../../events/vocabulary.ts';
import { checkOrder } from '../../events/order.ts';
import { createGraph, reduceEvent } from '../../graph/graph.ts';
import { getChildren } from '../../graph/queries.ts';
import { foldRunTree } from '../../projections/run-state.ts';
import type { Answers, RelayAnswer } from '../contract/host.ts';
import { defineTool } from '../loop/tool.ts';
import type { ModelScript } from '../model/scripted/script.ts';
import { scriptedModel } from '../model/scripted/scripted-model.ts';
import type { ScriptedRequest } from '../model/scripted/scripted-request.ts';
import type { PermissionRuleSet } from '../contract/permissions.ts';
import { rlmAgent } from './rlm-agent.ts';
import type { RlmAgentOptions } from './rlm-agent-options.ts';
import { runParams, type SetParams } from '../../../test/support/run-params.ts';

const params = (more?: SetParams) => runParams(more, 'What is it?');
const setUp = (script: ModelScript, options: Partial<RlmAgentOptions> = {}) => {
  const model = scriptedModel(script);
  return { model, agent: rlmAgent({ model, ...options }) };
};
async function collect(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const all: AgentEvent[] = [];
  for await (const event of events) all.push(event);
  expect(checkOrder(all)).toEqual([]);
  return all;
}
const of = <Type extends EventType>(events: readonly AgentEvent[], type: Type): EventOf<Type>[] =>
  events.filter((event): event is EventOf<Type> => event.type === type);
const code = (text: string) => `\`\`\`js\n${text}\n\`\`\``;
const reasonOf = (events: readonly AgentEvent[]) => of(events, 'harness_end').at(-1)?.reason;
/** The agent's own text after its last code. */
const answerOf = (events: readonly AgentEvent[]) => {
  const own = events.filter(({ runId }) => runId === 'run');
  const last = own.findLastIndex(({ type }) => type === 'step_start' || type === 'repl_output');
  return of(own.slice(last), 'text')
    .map(({ content }) => content)
    .join('');
};
const isQuery = ({ messages }: ScriptedRequest) => messages[0]?.role !== 'system';
const sizeOf = ({ messages }: ScriptedRequest) => messages.reduce((sum, { text }) => sum + text.length, 0);

describe('a run', () => {
  it('is start, steps with their code and its output, the answer, and end', async () => {
    const { agent, model } = setUp(
      [
        [{ reasoning: 'Look.' }, { text: code('console.warn("hm"); print(context.length)') }],
        { text: code('FINAL({ length: context.length })'), tokenSize: 1_000 },
      ],
      { context: 'abc' },
    );
    const events = await collect(agent.invoke(params({ run: { parentId: 'asked:user' } })));
    const merged = events.filter((event, at) => event.type !== 'text' || events[at - 1]?.type !== 'text');
    expect(merged).toMatchObject([
      { type: 'harness_start', runId: 'run', agentId: 'rlm', parentId: 'asked:user' },
      { type: 'model_context', provider: 'scripted' },
      { type: 'step_start', step: 0, model: 'scripted/scripted' },
      { type: 'reasoning', content: 'Look.' },
      { type: 'text' },
      { type: 'usage', finishReason: 'stop' },
      { type: 'repl_input', id: 'run/cell_0', code: 'console.warn("hm"); print(context.length)', iteration: 0 },
      { type: 'repl_progress', id: 'run/cell_0', chunk: 'hm\n', stream: 'stderr' },
      { type: 'repl_progress', id: 'run/cell_0', chunk: '3\n', stream: 'stdout' },
      { type: 'repl_output', id: 'run/cell_0', stdout: '3\n', done: false, iteration: 0 },
      { type: 'step_start', step: 1 },
      { type: 'text' },
      { type: 'usage' },
      { type: 'repl_input', id: 'run/cell_1', iteration: 1 },
      {
        type: 'repl_output',
        id: 'run/cell_1',
        stdout: '',
        done: true,
        iteration: 1,
        final: '{"length":3}',
        structured: true,
      },
      { type: 'text', id: 'run/cell_1:final', content: '{"length":3}' },
      { type: 'harness_end', reason: 'complete', output: { length: 3 } },
    ]);
    expect(of(events, 'repl_output')[0]?.durationMs).toBeGreaterThanOrEqual(0);
    expect(model.requests[1]?.lastUserText).toBe('Output:\n3\n\nstderr:\nhm');
  });

  it('does nothing before the first event is requested', () => {
    const { agent, model } = setUp(['Hi.']);
    agent.invoke(params());
    expect(model.requests).toEqual([]);
  });

  it('runs code only after its input was consumed', async () => {
    let asked = 0;
    const subModel = scriptedModel(() => `${++asked}`);
    const { agent } = setUp([code('await llm_query("x")')], { subModel });
    const run = agent.invoke(params())[Symbol.asyncIterator]();
    for (let next = await run.next(); next.value.type !== 'repl_input'; ) next = await run.next();
    const other = setUp([code('FINAL(await llm_query("x"))')], { subModel: scriptedModel(['other']) }).agent;
    expect(answerOf(await collect(other.invoke(params())))).toBe('other');
    expect(asked).toBe(0);
    for (let next = await run.next(); next.value.type !== 'repl_output'; ) next = await run.next();
    expect(asked).toBe(1);
    await run.return?.(undefined);
  });

  it('sends the model the size and the beginning of the context, never the whole', async () => {
    const context = Array.from({ length: 10_000 }, (_, n) => `line ${n}`).join('\n');
    const { agent, model } = setUp([code('FINAL(context.split("\\n")[9999])')], {
      context: async ({ run: { runId } }) => `${runId}\n${context}`,
      instructions: 'Be brief.',
    });
    const events = await collect(agent.invoke(params()));
    expect(answerOf(events)).toBe('line 9998');
    const [system] = model.requests[0]?.messages ?? [];
    expect(system?.text).toMatch(/^Be brief\./);
    expect(system?.text).toContain(`${context.length + 4} characters in 10001 lines`);
    expect(system?.text).toContain('The context begins:\nrun\nline 0\nline 1\n');
    expect(system?.text.length).toBeLessThan(3_000);
  });

  it('joins the blocks of an answer into one cell, and keeps variables', async () => {
    const { agent } = setUp([`${code('let a = 1')}\nand\n${code('a++')}`, code('let b = a; FINAL(b)')]);
    const events = await collect(agent.invoke(params()));
    expect(of(events, 'repl_input').map(input => input.code)).toEqual(['let a = 1\na++', 'let b = a; FINAL(b)']);
    expect(answerOf(events)).toBe('2');
  });

  it('shows an error to the model and continues', async () => {
    const { agent, model } = setUp([code('print("a"); nothing()'), code('FINAL("ok")')]);
    const events = await collect(agent.invoke(params()));
    expect(of(events, 'repl_output')[0]).toMatchObject({
      stdout: 'a\n',
      done: false,
      error: expect.stringMatching(/^ReferenceError: 'nothing' is not defined/) as string,
    });
    expect(model.requests[1]?.lastUserText).toContain("Output:\na\n\nerror: ReferenceError: 'nothing' is not defined");
    expect([answerOf(events), reasonOf(events)]).toEqual(['ok', 'complete']);
  });

  it('shortens the output for the model, and less for the log', async () => {
    const limits = { maxOutputLength: 5_000, maxShownLength: 200 };
    const { agent, model } = setUp([code('print("x".repeat(10_000))'), code('FINAL("")')], { limits });
    const events = await collect(agent.invoke(params()));
    expect(of(events, 'repl_output')[0]).toMatchObject({ stdout: 'x'.repeat(5_000), truncated: true });
    const shown = model.requests[1]?.lastUserText ?? '';
    expect(shown.length).toBeLessThan(220);
    expect(shown).toMatch(/characters left out[^]*more was printed than is kept/);
    expect([answerOf(events), reasonOf(events)]).toEqual(['', 'complete']);
  });

  it('has the errors of the loop: a failing model, and an unknown one', async () => {
    const refused = await collect(setUp([{ httpStatus: 401 }]).agent.invoke(params()));
    expect(refused.slice(-2)).toMatchObject([{ type: 'error', code: 'model_auth', fatal: true }, { reason: 'error' }]);
    const unknown = await collect(setUp([]).agent.invoke(params({ run: { model: 'nobody/x' } })));
    expect(unknown).toMatchObject([
      { type: 'harness_start', model: 'nobody/x' },
      { type: 'error', code: 'unknown_provider', fatal: true },
      { type: 'harness_end', reason: 'error' },
    ]);
    const lost = () => Promise.reject(new Error('no such file'));
    const unread = await collect(setUp([], { context: lost }).agent.invoke(params()));
    expect(unread[1]).toMatchObject({ type: 'error', message: 'no such file', fatal: true });
    const large = await collect(setUp([], { context: 'x'.repeat(2 ** 26) }).agent.invoke(params()));
    expect(large[1]).toMatchObject({ type: 'error', code: 'invalid_argument' });
  });

  it('continues after a hang, and informs the model that variables are lost', async () => {
    const hang = 'const kept = 1; const a = "a".repeat(2e6); (a + a).indexOf(a + "b")';
    const { agent, model } = setUp([code(hang), code('FINAL(typeof kept)')], { limits: { cellTimeoutMs: 100 } });
    const events = await collect(agent.invoke(params()));
    expect(model.requests[1]?.lastUserText).toContain('all variables are gone');
    expect(answerOf(events)).toBe('undefined');
  });

  it('adds messages that people send meanwhile', async () => {
    const { agent, model } = setUp([code('print(1)'), 'Stop?', code('FINAL("said")')]);
    const said = [[], [{ id: 'u1', content: 'Hurry.' }], [{ id: 'u2', content: 'Go on.' }]];
    const events = await collect(agent.invoke(params({ host: { steering: { take: () => said.shift() ?? [] } } })));
    expect(of(events, 'user').map(({ content }) => content)).toEqual(['Hurry.', 'Go on.']);
    expect(model.requests[1]?.lastUserText).toContain('Hurry.');
    expect(model.requests[2]?.lastUserText).toBe('Go on.');
  });
});

describe('an answer without code', () => {
  it('is asked for code once, and is the answer when it is repeated', async () => {
    const { agent, model } = setUp(['It is 5.', 'It is 5, really.']);
    const events = await collect(agent.invoke(params()));
    expect(model.requests[1]?.lastUserText).toContain('Your answer has no code to run');
    expect([answerOf(events), reasonOf(events)]).toEqual(['It is 5, really.', 'complete']);
    expect(of(events, 'repl_input')).toEqual([]);
  });

  it('that was cut off in its code is requested again, and nothing of it runs', async () => {
    const { agent, model } = setUp(['```js\nFINAL("ha', code('FINAL("whole")')]);
    const events = await collect(agent.invoke(params()));
    expect(model.requests[1]?.lastUserText).toContain('not closed');
    expect(answerOf(events)).toBe('whole');
  });
});

describe('the limit of iterations', () => {
  it('ends the run with one last answer, whose code is not run', async () => {
    const { agent, model } = setUp(() => code('print("again")'), { maxIterations: 2 });
    const events = await collect(agent.invoke(params()));
    expect([of(events, 'repl_input').length, reasonOf(events)]).toEqual([2, 'max_iterations']);
    expect(model.requests[1]?.messages[0]?.text).not.toContain('used all the steps');
    expect(model.requests[2]?.messages[0]?.text).toContain('used all the steps you may take');
  });
});

describe('llm_query', () => {
  it('is a separate run under the code that called it', async () => {
    const main = scriptedModel([
      code('const [a, b] = await Promise.all([llm_query("p"), llm_query("q", "about")]); FINAL(a + b)'),
    ]);
    const subModel = scriptedModel(({ lastUserText }) => `<${lastUserText}>`);
    const events = await collect(rlmAgent({ model: main, subModel }).invoke(params()));
    expect(answerOf(events)).toBe('<p><q\n\n<context>\nabout\n</context>>');
    const starts = of(events, 'harness_start').slice(1);
    expect(starts).toMatchObject([
      { agentId: 'llm_query', parentId: 'run/cell_0' },
      { agentId: 'llm_query', parentId: 'run/cell_0' },
    ]);
    const graph = events.reduce(reduceEvent, createGraph());
    const children = getChildren(graph, 'run/cell_0').map(({ id }) => id);
    expect(children).toEqual(expect.arrayContaining(starts.map(({ runId }) => `${runId}:harness_start`)));
  });

  it('that is not awaited ends when the answer is given', async () => {
    const delay = (_: number, signal?: AbortSignal) =>
      new Promise(resolve => signal?.addEventListener('abort', resolve, { once: true }));
    const subModel = scriptedModel(() => ({ text: 'never', delayMs: 1 }), { delay });
    const { agent } = setUp([code('llm_query("slow"); FINAL("now")')], { subModel });
    const events = await collect(agent.invoke(params()));
    expect(of(events, 'harness_end').map(({ reason }) => reason)).toEqual(['aborted', 'complete']);
    expect(answerOf(events)).toBe('now');
  });

  it('that fails is an error that the code can catch', async () => {
    const main = [code('try { await llm_query("p") } catch (error) { FINAL(error.message) }')];
    const subModel = scriptedModel([{ httpStatus: 400, message: 'too long' }]);
    const events = await collect(setUp(main, { subModel }).agent.invoke(params()));
    expect(answerOf(events)).toBe("The query failed: The model's service answered 400: too long.");
    expect(reasonOf(events)).toBe('complete');
  });

  it.each([
    [
      'the number of queries',
      { maxQueries: 2 },
      'a\na\nAll 2 queries of this run are used up. Answer with what you have.',
    ],
    ['the length of a query', { maxQueryLength: 3 }, 'a\na\nThe query has 4 characters: at most 3 are sent at once.'],
    ['the depth', { maxDepth: 0 }, 'llm_query is not available here: no further level is allowed.'],
  ])('stops at the limit of %s with an error', async (_, limits, printed) => {
    const asking = 'for (const text of ["1", "2", "long"]) print(await llm_query(text))';
    const subModel = scriptedModel(() => 'a');
    const { agent } = setUp([code(`try { ${asking} } catch (error) { print(error.message) }`), code('FINAL("")')], {
      limits,
      subModel,
    });
    const events = await collect(agent.invoke(params()));
    expect(of(events, 'repl_output')[0]?.stdout).toBe(`${printed}\n`);
  });

  it('makes 200 concurrent queries, within a limit', async () => {
    // Each answer waits until ten are requested.
    const waiting: (() => void)[] = [];
    const delay = () =>
      new Promise<void>(resolve => {
        if (waiting.push(resolve) === 10) for (const go of waiting.splice(0)) go();
      });
    const subModel = scriptedModel(({ lastUserText }) => ({ text: lastUserText, delayMs: 1 }), { delay });
    const all = 'FINAL((await Promise.all(Array.from({ length: 200 }, (_, n) => llm_query(String(n))))).join())';
    const { agent } = setUp([code(all)], { subModel, limits: { parallelQueries: 10 } });
    const events = await collect(agent.invoke(params()));
    expect(answerOf(events)).toBe(Array.from({ length: 200 }, (_, n) => n).join());
    let open = 0;
    const opened = events.map(({ type }) => (open += type === 'harness_start' ? 1 : type === 'harness_end' ? -1 : 0));
    expect(Math.max(...opened) - 1).toBe(10);
    const graph = events.reduce(reduceEvent, createGraph());
    expect(getChildren(graph, 'run/cell_0').filter(({ kind }) => kind === 'harness_start')).toHaveLength(200);
  });

  it('is a run with its own REPL while the depth allows, and the levels share their queries', async () => {
    const script: ModelScript = request => {
      if (isQuery(request)) return `leaf ${request.lastUserText.length}`;
      const asks = request.messages[0]?.text.includes('With a context it has a REPL');
      return asks
        ? code(
            'const r = await llm_query("inner?", "x".repeat(1000)); try { await llm_query("more") } catch (e) { FINAL(r + "|" + e.message) }',
          )
        : code('FINAL("inner " + context.length + " " + await llm_query("leaf?"))');
    };
    const { agent, model } = setUp(script, { limits: { maxDepth: 2, maxQueries: 2 } });
    const events = await collect(agent.invoke(params()));
    expect(answerOf(events)).toBe(
      'inner 1000 leaf 5|All 2 queries of this run are used up. Answer with what you have.',
    );
    const [outer, inner, leaf] = of(events, 'harness_start');
    expect([outer?.agentId, inner?.agentId, leaf?.agentId]).toEqual(['rlm', 'rlm', 'llm_query']);
    expect([inner?.parentId, leaf?.parentId]).toEqual(['run/cell_0', `${inner?.runId}/cell_0`]);
    expect(model.requests.some(request => sizeOf(request) > 4_000)).toBe(false);
    const state = foldRunTree(events, 'run');
    expect(state.children.get('run/cell_0')?.[0]?.children.size).toBe(1);
  });
});

describe('a long context', () => {
  it('yields a needle in 5 MB though no model receives more than 20 KB', async () => {
    const filler = Array.from(
      { length: 100_000 },
      (_, n) => `${n}: nothing to see in this line, and no reason to stop`,
    );
    filler[77_777] = 'the secret of the house is that the gardener owns the piano';
    const context = filler.join('\n');
    expect(context.length).toBeGreaterThan(5_000_000);
    const script: ModelScript = request => {
      if (isQuery(request)) return /owns the (\w+)/.exec(request.lastUserText)?.[1] ?? 'NONE';
      if (request.step === 0 && request.messages.length === 2) return code('print(context.split("\\n").length)');
      return code(`
        const lines = context.split("\\n"), chunks = [];
        for (let i = 0; i < lines.length; i += 250) chunks.push(lines.slice(i, i + 250).join("\\n"));
        const likely = chunks.filter(chunk => /secret|gardener|owns/.test(chunk)).concat(chunks.slice(0, 5));
        const found = await Promise.all(likely.map(chunk => llm_query("What does the gardener own?", chunk)));
        FINAL(found.find(text => text !== "NONE"));`);
    };
    const { agent, model } = setUp(script, { context });
    const events = await collect(
      agent.invoke(params({ conversation: { messages: [{ role: 'user', content: 'What does the gardener own?' }] } })),
    );
    expect(answerOf(events)).toBe('piano');
    expect(model.requests.length).toBe(8);
    expect(Math.max(...model.requests.map(sizeOf))).toBeLessThanOrEqual(20_000);
  });
});

describe('tools', () => {
  const ran: string[] = [];
  const exec = defineTool({
    name: 'exec',
    description: 'Runs a command.',
    input: z.object({ command: z.string() }),
    shell: true,
    execute: ({ command }) => {
      ran.push(command);
      if (command === 'fail') throw new Error('exit code 1');
      return { context: `ran ${command}`, result: { code: 0 } };
    },
  });
  const answering = (answer: Partial<RelayAnswer> & Pick<RelayAnswer, 'outcome'>): Answers => ({
    wait: async relayId => ({ relayId, ...answer }),
  });
  const trying = (call: string) => [
    code(`try { FINAL(await ${call}) } catch (error) { FINAL("Error: " + error.message) }`),
  ];
  const outcome = async (call: string, options: Partial<RlmAgentOptions> = {}, more: SetParams = {}) => {
    ran.length = 0;
    const { agent, model } = setUp(trying(call), { tools: [exec], ...options });
    const events = await collect(agent.invoke(params(more)));
    return { events, model, answer: answerOf(events), ran: [...ran] };
  };

  it('are functions of the REPL, emitted as calls with permission, start and result', async () => {
    const { events, model, answer } = await outcome('exec("ls")', { permissions: { default: 'allow', rules: [] } });
    expect(answer).toBe('ran ls');
    expect(model.requests[0]?.messages[0]?.text).toContain('- exec(input): Runs a command.');
    const inner = events.slice(events.findIndex(({ type }) => type === 'repl_input') + 1);
    expect(inner).toMatchObject([
      { type: 'tool_call', id: 'run/cell_0_call_1', name: 'exec', input: { command: 'ls' } },
      { type: 'tool_start', id: 'run/cell_0_call_1' },
      { type: 'tool_result', id: 'run/cell_0_call_1', output: { context: 'ran ls', result: { code: 0 } } },
      { type: 'repl_output', done: true },
      { type: 'text' },
      { type: 'harness_end' },
    ]);
  });

  it('run only with permission: a rule, or a person', async () => {
    const denied = { default: 'allow' as const, rules: [{ command: 'rm *', policy: 'deny' as const }] };
    expect(await outcome('exec("rm -rf /")', { permissions: denied })).toMatchObject({
      answer: expect.stringContaining('Error: exec was denied') as string,
      ran: [],
    });
    expect(await outcome('exec("ls")')).toMatchObject({
      answer: expect.stringContaining('nobody can be asked') as string,
      ran: [],
    });
    const asked = await outcome('exec("ls")', {}, { host: { answers: answering({ outcome: 'approve' }) } });
    expect([asked.answer, of(asked.events, 'relay').length]).toEqual(['ran ls', 1]);
    const refused = await outcome(
      'exec("ls")',
      {},
      { host: { answers: answering({ outcome: 'reject', feedback: 'not now' }) } },
    );
    expect([refused.answer, refused.ran]).toEqual(['Error: exec was denied: A person rejected it: not now', []]);
    const stricter = { host: { permissions: [denied] } };
    expect((await outcome('exec("rm x")', { permissions: { default: 'allow', rules: [] } }, stricter)).ran).toEqual([]);
  });

  it('that fail, or are called wrongly, are errors that the code can catch', async () => {
    const permissions = { default: 'allow' as const, rules: [] };
    expect((await outcome('exec("fail")', { permissions })).answer).toBe('Error: exit code 1');
    expect((await outcome('exec({ command: 5 })', { permissions })).answer).toContain(
      'The input is not valid: command',
    );
    expect((await outcome('exec("ls")', { permissions, tools: [] })).answer).toContain("'exec' is not defined");
    const withheld = await outcome('exec("ls")', { permissions }, { host: { withheldTools: ['exec'] } });
    expect(withheld.answer).toContain("'exec' is not defined");
    expect(withheld.model.requests[0]?.messages[0]?.text).not.toContain('- exec(');
  });

  it('have names that the REPL does not use', () => {
    expect(() => setUp([], { tools: [{ ...exec, name: 'FINAL' }] })).toThrow('cannot be the function FINAL');
    expect(() =>
      setUp([], {
        tools: [
          { ...exec, name: 'a-b' },
          { ...exec, name: 'a.b' },
        ],
      }),
    ).toThrow('a_b');
  });
});

describe('options', () => {
  const made = (more: object) => () => setUp([], more);

  it('are rejected at once when they are invalid or unknown', () => {
    expect(() => rlmAgent({} as RlmAgentOptions)).toThrow('`rlmAgent` was given nothing as `model`');
    expect(made({ tools: {} })).toThrow('was given an object as `tools`: expected an array of tools');
    expect(made({ tools: [{ name: 'look' }] })).toThrow('The tool "look" was given nothing as `description`');
    expect(made({ permission: { rules: [] } })).toThrow('did you mean `permissions`?');
  });

  it('reject permissions that are not rules, also for one run', async () => {
    const wrong = { default: 'ask', rules: [{ tools: 'exec', policy: 'allow' }] } as unknown as PermissionRuleSet;
    const refused = expect.objectContaining({ code: 'invalid_permission_rule' });
    expect(made({ permissions: wrong })).toThrow(refused);
    const { agent, model } = setUp([code('FINAL(1)')]);
    const events = await collect(agent.invoke(params({ host: { permissions: [wrong] } })));
    expect(of(events, 'error')).toEqual([refused]);
    expect(model.requests).toEqual([]);
  });
});

describe('stopping', () => {
  const threads = () => process.getActiveResourcesInfo().filter(name => /Worker|MessagePort|Timeout/.test(name)).length;

  it.each([
    ['in an endless loop', 'print("on"); for (;;) {}', 'repl_progress'],
    ['in queries', 'await Promise.all([llm_query("slow"), llm_query("slow")])', 'text'],
  ])('ends a run %s at once, with all it started', async (_, text, at) => {
    const before = threads();
    const controller = new AbortController();
    let words = 0;
    const delay = (_: number, signal?: AbortSignal) =>
      ++words === 1 ? Promise.resolve() : new Promise(resolve => signal?.addEventListener('abort', resolve));
    const subModel = scriptedModel(() => ({ text: 'one two', delayMs: 1 }), { delay });
    const { agent } = setUp([code(text)], { subModel });
    const events: AgentEvent[] = [];
    for await (const event of agent.invoke(params({ run: { signal: controller.signal } }))) {
      events.push(event);
      if (event.type === at && of(events, 'repl_input').length > 0) controller.abort();
    }
    expect(reasonOf(events)).toBe('aborted');
    expect(of(events, 'harness_end').map(({ reason }) => reason)).toEqual(
      of(events, 'harness_start').map(() => 'aborted'),
    );
    expect(checkOrder(events)).toEqual([]);
    expect(threads()).toBeLessThanOrEqual(before);
  });

  it('happens when the consumer detaches', async () => {
    const before = threads();
    const { agent } = setUp([code('print(1)'), code('for (;;) {}')]);
    for await (const event of agent.invoke(params())) if (event.type === 'step_start' && event.step === 1) break;
    expect(threads()).toBeLessThanOrEqual(before);
  });
});

describe('a run that another process resumes', () => {
  const script: ModelScript = ({ messages }) => {
    const said = messages.filter(({ role }) => role === 'assistant').length;
    const text = code(
      ['const a = 1; print("on"); print(await llm_query("p"))', 'FINAL(typeof a)'][said] ?? 'FINAL("late")',
    );
    return { text, tokenSize: 10_000 };
  };
  const subModel = scriptedModel(() => 'sub', { keepRequests: 0 });
  /** The events up to the first match, as a process that dies there leaves them. */
  const until = (events: readonly AgentEvent[], last: (event: AgentEvent) => boolean) =>
    events.slice(0, events.findIndex(last) + 1);
  const goOn = async (events: readonly AgentEvent[], asking = script) => {
    const { agent, model } = setUp(asking, { subModel });
    const resume = foldRunTree(events, 'run');
    const more: AgentEvent[] = [];
    for await (const event of agent.invoke(params({ run: { resume } }))) more.push(event);
    expect(checkOrder([...events, ...more])).toEqual([]);
    return { more, model };
  };
  const whole = () => collect(setUp(script, { subModel }).agent.invoke(params()));

  it('can be resumed after every single event, and reaches an answer', async () => {
    const events = await whole();
    for (let count = 1; count < events.length; count++) {
      const { more } = await goOn(events.slice(0, count));
      expect(more.at(-1), `after ${count} events`).toMatchObject({
        type: 'harness_end',
        runId: 'run',
        reason: 'complete',
      });
      expect(answerOf([...events.slice(0, count), ...more])).toMatch(/^(?:number|undefined|late)$/);
      expect(of([...events.slice(0, count), ...more], 'harness_end').length).toBe(
        of([...events.slice(0, count), ...more], 'harness_start').length,
      );
    }
  }, 120_000);

  it('does not repeat code whose outcome is unknown: it says so, and ends what the code had started', async () => {
    const events = until(await whole(), ({ type, runId }) => type === 'step_start' && runId !== 'run');
    const { more, model } = await goOn(events);
    const child = of(events, 'harness_start')[1]?.runId;
    expect(more.slice(0, 2)).toMatchObject([
      { type: 'harness_end', runId: child, reason: 'interrupted' },
      {
        type: 'repl_output',
        id: 'run/cell_0',
        stdout: 'on\n',
        done: false,
        error: expect.stringMatching(/outcome .* is unknown/) as string,
      },
    ]);
    expect(model.requests[0]?.lastUserText).toContain('all variables are gone');
    expect(answerOf(more)).toBe('undefined');
  });

  it('informs the model that variables are lost', async () => {
    const events = until(await whole(), ({ type }) => type === 'repl_output');
    const { more, model } = await goOn(events);
    expect(more[0]).toMatchObject({ type: 'warning', code: 'repl_lost' });
    expect(model.requests[0]?.lastUserText).toContain('sub');
    expect(model.requests[0]?.lastUserText).toContain('all variables are gone');
    expect(answerOf(more)).toBe('undefined');
  });

  it('emits an answer that was given but not emitted', async () => {
    const events = until(await whole(), event => event.type === 'repl_output' && event.done);
    const { more, model } = await goOn(events);
    expect(more).toMatchObject([
      { type: 'text', content: 'number' },
      { type: 'harness_end', reason: 'complete' },
    ]);
    expect(model.requests).toEqual([]);
  });

  it.each([
    ['{ a: [1, null] }', { a: [1, null] }],
    ['null', null],
    ['"{}"', undefined],
  ])('ends with the value that %s gave, also after a crash', async (value, output) => {
    const { agent } = setUp([code(`FINAL(${value})`)]);
    const events = await collect(agent.invoke(params()));
    const { more } = await goOn(until(events, ({ type }) => type === 'repl_output'));
    for (const end of [events.at(-1), more.at(-1)])
      expect(end).toEqual({ type: 'harness_end', runId: 'run', agentId: 'rlm', reason: 'complete', output });
  });

  it('does nothing when it had ended', async () => {
    expect((await goOn(await whole())).more).toEqual([]);
  });
});
