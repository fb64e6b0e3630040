import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type AgentEvent, checkOrder, type EventOf } from '../../events/index.ts';
import { foldRun } from '../../projections/run-state.ts';
import type { Answers, InvokeParams, RelayAnswer } from '../agent.ts';
import { type ModelScript, scriptByStep } from '../model/scripted/script.ts';
import { scriptedModel } from '../model/scripted/scripted-model.ts';
import type { PermissionRuleSet } from '../permissions/index.ts';
import { loopAgent } from './loop-agent.ts';
import { defineTool } from './tool.ts';

type Given = Omit<RelayAnswer, 'relayId'>;

/** A log in small: it holds what the agent emits and what people answer, and answers come from it. */
class Desk implements Answers {
  readonly events: AgentEvent[] = [];
  readonly executed: string[] = [];
  readonly #waiting = new Map<string, (answer: RelayAnswer) => void>();
  readonly #answered = new Map<string, RelayAnswer>();

  answer(relay: EventOf<'relay'>, given: Given): void {
    const event: EventOf<'relay_resolved'> = {
      ...given,
      type: 'relay_resolved',
      runId: relay.runId,
      relayId: relay.id,
    };
    this.events.push(event);
    this.#answered.set(relay.id, event);
    this.#waiting.get(relay.id)?.(event);
  }

  wait(relayId: string): Promise<RelayAnswer> {
    const answer = this.#answered.get(relayId);
    return answer ? Promise.resolve(answer) : new Promise(resolve => this.#waiting.set(relayId, resolve));
  }

  get relays(): EventOf<'relay'>[] {
    return this.events.filter(event => event.type === 'relay');
  }

  get outputs(): unknown[] {
    return this.events.flatMap(event => (event.type === 'tool_result' ? [event.output] : []));
  }
}

const call = (tool: string, value: string) => ({ toolCall: { name: tool, input: { command: value } } });

interface Scene {
  script: ModelScript;
  rules?: PermissionRuleSet;
  answer?: (relay: EventOf<'relay'>) => Given | undefined;
  params?: Partial<InvokeParams>;
  desk?: Desk;
}

async function play({ script, rules = { rules: [] }, answer, params = {}, desk = new Desk() }: Scene): Promise<Desk> {
  const toolNamed = (name: string, category: string, more: { shell?: boolean; repeatable?: boolean } = {}) =>
    defineTool({
      name,
      description: name,
      category,
      ...more,
      input: z.object({ command: z.string() }),
      execute: ({ command }) => {
        desk.executed.push(`${name} ${command}`);
        return command;
      },
    });
  const tools = [
    toolNamed('bash', 'execute', { shell: true }),
    toolNamed('write', 'edit'),
    toolNamed('patch', 'edit', { repeatable: true }),
  ];
  const agent = loopAgent({ model: scriptedModel(script), tools, permissions: rules });
  const invoked = agent.invoke({
    runId: 'run',
    messages: [{ role: 'user', content: 'Go.' }],
    signal: new AbortController().signal,
    answers: desk,
    ...params,
  });
  for await (const event of invoked) {
    desk.events.push(event);
    const given = event.type === 'relay' ? answer?.(event) : undefined;
    if (event.type === 'relay' && given) desk.answer(event, given);
  }
  expect(checkOrder(desk.events)).toEqual([]);
  return desk;
}

describe('a call that needs approval', () => {
  const script = [[call('bash', 'ls')], 'Done.'];

  it('asks, waits and runs when it is approved', async () => {
    const desk = await play({ script, answer: () => ({ outcome: 'approve' }) });
    expect(desk.relays).toMatchObject([
      { relayKind: 'permission', toolCallId: 'run/call_1', tool: 'bash', params: { command: 'ls' } },
    ]);
    expect(desk.executed).toEqual(['bash ls']);
    expect(desk.events.map(({ type }) => type).slice(4)).toEqual([
      'usage',
      'relay',
      'relay_resolved',
      'tool_start',
      'tool_result',
      'step_start',
      'text',
      'usage',
      'harness_end',
    ]);
  });

  it('takes an answer that is given before anybody waits for it', async () => {
    // `answer` runs before the next event is asked for, so before the loop waits.
    const desk = await play({ script, answer: () => ({ outcome: 'reject', feedback: 'not now' }) });
    expect(desk.outputs).toEqual([{ status: 'denied', reason: 'A person rejected it: not now' }]);
  });

  it('takes an answer that is given later', async () => {
    const desk = new Desk();
    const answer = (relay: EventOf<'relay'>) => {
      setImmediate(() => desk.answer(relay, { outcome: 'approve' }));
      return undefined;
    };
    await play({ script, answer, desk });
    expect(desk.executed).toEqual(['bash ls']);
  });

  it('is denied in words the model sees when it is rejected, expired or cancelled', async () => {
    const outputOf = async (given: Given) => (await play({ script, answer: () => given })).outputs[0];
    expect(await outputOf({ outcome: 'reject' })).toEqual({ status: 'denied', reason: 'A person rejected it.' });
    expect(await outputOf({ outcome: 'reject', by: 'Ada', feedback: 'use git' })).toEqual({
      status: 'denied',
      reason: 'Ada rejected it: use git',
    });
    expect(await outputOf({ outcome: 'expired' })).toEqual({ status: 'denied', reason: 'Nobody answered in time.' });
    expect(await outputOf({ outcome: 'cancelled' })).toMatchObject({ status: 'denied' });
    expect(await outputOf({ outcome: 'answer', answer: 'yes' })).toMatchObject({ status: 'denied' });
  });

  it('is denied when nobody can be asked', async () => {
    const desk = await play({ script, params: { answers: undefined as never } });
    expect(desk.outputs).toEqual([
      { status: 'denied', reason: 'bash needs approval by default: no rule matches, and nobody can be asked.' },
    ]);
    expect([desk.relays, desk.executed]).toEqual([[], []]);
  });

  it('is denied without asking by a rule', async () => {
    const rules: PermissionRuleSet = {
      default: 'allow',
      rules: [{ tool: 'bash', policy: 'deny', reason: 'No shell.' }],
    };
    const desk = await play({ script, rules });
    expect(desk.outputs).toEqual([{ status: 'denied', reason: 'No shell.' }]);
    expect(desk.events.filter(({ type }) => type === 'tool_call')).toHaveLength(1);
  });

  it('stops waiting when the run is stopped, also when the answers do not listen', async () => {
    const stop = new AbortController();
    const answer = () => {
      stop.abort();
      return undefined;
    };
    const desk = await play({ script, answer, params: { signal: stop.signal } });
    expect(desk.events.at(-1)).toMatchObject({ type: 'harness_end', reason: 'aborted' });
    expect(desk.outputs).toEqual([]);
  });
});

describe('an approval', () => {
  const twice = (first: ReturnType<typeof call>, second: ReturnType<typeof call>) => [[first], [second], 'Done.'];
  const asked = async (script: ModelScript, remember: 'once' | 'thread' | 'category') =>
    (await play({ script, answer: () => ({ outcome: 'approve', remember }) })).relays.length;

  it('once is for this call only', async () => {
    expect(await asked(twice(call('write', 'a'), call('write', 'a')), 'once')).toBe(2);
  });

  it('for the thread is for the tool, or for exactly this command', async () => {
    expect(await asked(twice(call('write', 'a'), call('write', 'b')), 'thread')).toBe(1);
    expect(await asked(twice(call('write', 'a'), call('patch', 'a')), 'thread')).toBe(2);
    expect(await asked(twice(call('bash', 'ls'), call('bash', 'ls')), 'thread')).toBe(1);
    expect(await asked(twice(call('bash', 'ls'), call('bash', 'rm x')), 'thread')).toBe(2);
  });

  it('for the category is for every tool in it', async () => {
    expect(await asked(twice(call('write', 'a'), call('patch', 'b')), 'category')).toBe(1);
    expect(await asked(twice(call('write', 'a'), call('bash', 'ls')), 'category')).toBe(2);
  });
});

describe('a revised call', () => {
  it('runs with the new input', async () => {
    const answer = () => ({ outcome: 'revise', input: { command: 'ls -l' } }) as const;
    const desk = await play({ script: [[call('bash', 'rm x')], 'Done.'], answer });
    expect(desk.executed).toEqual(['bash ls -l']);
  });

  it('is remembered as what it was revised to, not as what was asked', async () => {
    const script = [[call('bash', 'rm x')], [call('bash', 'ls')], [call('bash', 'rm x')], 'Done.'];
    const answer = () => ({ outcome: 'revise', input: { command: 'ls' }, remember: 'thread' }) as const;
    const desk = await play({ script, answer });
    expect(desk.relays.map(relay => 'params' in relay && relay.params)).toEqual([
      { command: 'rm x' },
      { command: 'rm x' },
    ]);
    expect(desk.executed).toEqual(['bash ls', 'bash ls', 'bash ls']);
  });

  it('is checked like any other: by the schema and by the rules that deny', async () => {
    const rules: PermissionRuleSet = {
      rules: [{ tool: 'write', input: { command: 'secret' }, policy: 'deny', reason: 'No.' }],
    };
    const outputOf = async (input: unknown) => {
      const desk = await play({
        script: [[call('write', 'a')], 'Done.'],
        rules,
        answer: () => ({ outcome: 'revise', input }),
      });
      return desk.outputs[0];
    };
    expect(await outputOf({ command: 5 })).toMatchObject({ error: expect.stringContaining('revised input') as string });
    expect(await outputOf({ command: 'secret' })).toEqual({ status: 'denied', reason: 'No.' });
  });
});

describe('answers in the log of a run that goes on', () => {
  const script = scriptByStep([[call('write', 'a'), call('write', 'b')], 'Done.']);
  /** The run up to where both calls were asked about and answered as told. */
  const asked = async (answers: readonly (Given | undefined)[]) => {
    const stop = new AbortController();
    let count = 0;
    const answer = () => {
      if (++count === 2) stop.abort();
      return undefined;
    };
    const desk = await play({ script, params: { signal: stop.signal }, answer });
    const upTo = desk.events.findLastIndex(({ type }) => type === 'relay') + 1;
    const before = new Desk();
    before.events.push(...desk.events.slice(0, upTo));
    for (const [index, relay] of before.relays.entries()) {
      const given = answers[index];
      if (given) before.answer(relay, given);
    }
    return before;
  };
  const goOn = async (before: Desk, more: Partial<Scene> = {}, params: Partial<InvokeParams> = {}) => {
    const resume = foldRun(before.events, 'run');
    return play({ script, desk: before, ...more, params: { resume, ...params } });
  };

  it('hold: an explicit no is not overruled by a grant, and nobody is asked again', async () => {
    const before = await asked([{ outcome: 'approve', remember: 'thread' }, { outcome: 'reject' }]);
    const desk = await goOn(before);
    expect(desk.executed).toEqual(['write a']);
    expect(desk.relays).toHaveLength(2);
    expect(desk.outputs).toContainEqual({ status: 'denied', reason: 'A person rejected it.' });
  });

  it('hold also when nobody can be asked any more', async () => {
    const before = await asked([{ outcome: 'approve' }, { outcome: 'revise', input: { command: 'c' } }]);
    const desk = await goOn(before, {}, { answers: undefined as never });
    expect(desk.executed.toSorted()).toEqual(['write a', 'write c']);
  });

  it('are waited for where they are missing', async () => {
    const before = await asked([undefined, { outcome: 'approve' }]);
    const first = before.relays[0];
    setImmediate(() => first && before.answer(first, { outcome: 'approve' }));
    const desk = await goOn(before);
    expect(desk.executed).toEqual(['write b', 'write a']);
    expect(desk.relays).toHaveLength(2);
  });
});

describe('a call that was started in a process that ended', () => {
  const script = scriptByStep([[call('patch', 'a')], 'Done.']);
  /** The run up to where its call started, and how it goes on. */
  const goOn = async (rules: PermissionRuleSet, more: Partial<Scene> = {}) => {
    const whole = await play({ script, rules, ...more });
    const desk = new Desk();
    desk.events.push(...whole.events.slice(0, whole.events.findIndex(({ type }) => type === 'tool_start') + 1));
    const asked = desk.relays.length;
    await play({ script, desk, params: { resume: foldRun(desk.events, 'run') } });
    return { executed: desk.executed, askedAgain: desk.relays.length - asked };
  };

  it('was permitted: nobody is asked about it, though the rules would ask now', async () => {
    const allowed: PermissionRuleSet = { default: 'allow', rules: [] };
    expect(await goOn(allowed)).toEqual({ executed: ['patch a'], askedAgain: 0 });
  });

  it('goes on with what a person revised it to', async () => {
    const answer = () => ({ outcome: 'revise', input: { command: 'b' } }) as const;
    expect(await goOn({ rules: [] }, { answer })).toEqual({ executed: ['patch b'], askedAgain: 0 });
  });
});
