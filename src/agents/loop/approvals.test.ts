import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import { checkOrder } from '../../events/order.ts';
import { foldRun } from '../../projections/run-state.ts';
import type { Answers, RelayAnswer } from '../contract/host.ts';
import type { HostParams } from '../contract/agent.ts';
import { type ModelScript, scriptByStep } from '../model/scripted/script.ts';
import { scriptedModel } from '../model/scripted/scripted-model.ts';
import type { PermissionRuleSet } from '../contract/permissions.ts';
import { loopAgent } from './loop-agent.ts';
import { defineTool } from './tool.ts';
import { runParams, type SetParams } from '../../../test/support/run-params.ts';

type Answer = Omit<RelayAnswer, 'relayId'>;

/** A small log: it stores the agent's events and people's answers, and is the source of answers. */
class Desk implements Answers {
  readonly events: AgentEvent[] = [];
  readonly executed: string[] = [];
  readonly #waiting = new Map<string, (answer: RelayAnswer) => void>();
  readonly #answered = new Map<string, RelayAnswer>();

  answer(relay: EventOf<'relay'>, given: Answer): void {
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
  answer?: (relay: EventOf<'relay'>) => Answer | undefined;
  params?: SetParams;
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
  const invoked = agent.invoke(runParams({ ...params, host: { answers: desk, ...params.host } }));
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

  it('asks, waits, and runs after approval', async () => {
    const desk = await play({ script, answer: () => ({ outcome: 'approve' }) });
    expect(desk.relays).toMatchObject([
      { relayKind: 'permission', toolCallId: 'run/call_1', tool: 'bash', params: { command: 'ls' } },
    ]);
    expect(desk.executed).toEqual(['bash ls']);
    expect(desk.events.map(({ type }) => type).slice(5)).toEqual([
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

  it('uses an answer that was given before anybody waits for it', async () => {
    // `answer` runs before the next event is requested, so before the loop waits.
    const desk = await play({ script, answer: () => ({ outcome: 'reject', feedback: 'not now' }) });
    expect(desk.outputs).toEqual([{ status: 'denied', reason: 'A person rejected it: not now' }]);
  });

  it('waits for a later answer', async () => {
    const desk = new Desk();
    const answer = (relay: EventOf<'relay'>) => {
      setImmediate(() => desk.answer(relay, { outcome: 'approve' }));
      return undefined;
    };
    await play({ script, answer, desk });
    expect(desk.executed).toEqual(['bash ls']);
  });

  it('is denied with a reason for the model when it is rejected, expired or cancelled', async () => {
    const outputOf = async (given: Answer) => (await play({ script, answer: () => given })).outputs[0];
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
    const desk = await play({ script, params: { host: { answers: undefined as never } } });
    expect(desk.outputs).toEqual([
      { status: 'denied', reason: 'bash needs approval by default: no rule matches, and nobody can be asked.' },
    ]);
    expect([desk.relays, desk.executed]).toEqual([[], []]);
  });

  it('is denied by a rule without asking', async () => {
    const rules: PermissionRuleSet = {
      default: 'allow',
      rules: [{ tool: 'bash', policy: 'deny', reason: 'No shell.' }],
    };
    const desk = await play({ script, rules });
    expect(desk.outputs).toEqual([{ status: 'denied', reason: 'No shell.', by: 'rules' }]);
    expect(desk.events.filter(({ type }) => type === 'tool_call')).toHaveLength(1);
  });

  it('stops waiting when the run is stopped, also when the answers ignore the signal', async () => {
    const stop = new AbortController();
    const answer = () => {
      stop.abort();
      return undefined;
    };
    const desk = await play({ script, answer, params: { run: { signal: stop.signal } } });
    expect(desk.events.at(-1)).toMatchObject({ type: 'harness_end', reason: 'aborted' });
    expect(desk.outputs).toEqual([]);
  });
});

describe('an approval', () => {
  const twice = (first: ReturnType<typeof call>, second: ReturnType<typeof call>) => [[first], [second], 'Done.'];
  const asked = async (script: ModelScript, remember: 'once' | 'thread' | 'category') =>
    (await play({ script, answer: () => ({ outcome: 'approve', remember }) })).relays.length;

  it('once applies to this call only', async () => {
    expect(await asked(twice(call('write', 'a'), call('write', 'a')), 'once')).toBe(2);
  });

  it('for the thread applies to the tool, or to exactly this command', async () => {
    expect(await asked(twice(call('write', 'a'), call('write', 'b')), 'thread')).toBe(1);
    expect(await asked(twice(call('write', 'a'), call('patch', 'a')), 'thread')).toBe(2);
    expect(await asked(twice(call('bash', 'ls'), call('bash', 'ls')), 'thread')).toBe(1);
    expect(await asked(twice(call('bash', 'ls'), call('bash', 'rm x')), 'thread')).toBe(2);
  });

  it('for the category applies to every tool in it', async () => {
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

  it('is remembered as revised, not as asked', async () => {
    const script = [[call('bash', 'rm x')], [call('bash', 'ls')], [call('bash', 'rm x')], 'Done.'];
    const answer = () => ({ outcome: 'revise', input: { command: 'ls' }, remember: 'thread' }) as const;
    const desk = await play({ script, answer });
    expect(desk.relays.map(relay => 'params' in relay && relay.params)).toEqual([
      { command: 'rm x' },
      { command: 'rm x' },
    ]);
    expect(desk.executed).toEqual(['bash ls', 'bash ls', 'bash ls']);
  });

  it('is validated by the schema and the denying rules like any other', async () => {
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
    expect(await outputOf({ command: 'secret' })).toEqual({ status: 'denied', reason: 'No.', by: 'rules' });
  });
});

describe('answers in the log of a resumed run', () => {
  const script = scriptByStep([[call('write', 'a'), call('write', 'b')], 'Done.']);
  /** The run up to where both calls were asked about and answered with these answers. */
  const asked = async (answers: readonly (Answer | undefined)[]) => {
    const stop = new AbortController();
    let count = 0;
    const answer = () => {
      if (++count === 2) stop.abort();
      return undefined;
    };
    const desk = await play({ script, params: { run: { signal: stop.signal } }, answer });
    const upTo = desk.events.findLastIndex(({ type }) => type === 'relay') + 1;
    const before = new Desk();
    before.events.push(...desk.events.slice(0, upTo));
    for (const [index, relay] of before.relays.entries()) {
      const given = answers[index];
      if (given) before.answer(relay, given);
    }
    return before;
  };
  const goOn = async (before: Desk, more: Partial<Scene> = {}, host: HostParams = {}) => {
    const resume = foldRun(before.events, 'run');
    return play({ script, desk: before, ...more, params: { run: { resume }, host } });
  };

  it('stay in effect: a grant does not overrule an explicit rejection, and nobody is asked again', async () => {
    const before = await asked([{ outcome: 'approve', remember: 'thread' }, { outcome: 'reject' }]);
    const desk = await goOn(before);
    expect(desk.executed).toEqual(['write a']);
    expect(desk.relays).toHaveLength(2);
    expect(desk.outputs).toContainEqual({ status: 'denied', reason: 'A person rejected it.' });
  });

  it('stay in effect when nobody can be asked anymore', async () => {
    const before = await asked([{ outcome: 'approve' }, { outcome: 'revise', input: { command: 'c' } }]);
    const desk = await goOn(before, {}, { answers: undefined as never });
    expect(desk.executed.toSorted()).toEqual(['write a', 'write c']);
  });

  it('are awaited where they are missing', async () => {
    const before = await asked([undefined, { outcome: 'approve' }]);
    const first = before.relays[0];
    setImmediate(() => first && before.answer(first, { outcome: 'approve' }));
    const desk = await goOn(before);
    expect(desk.executed).toEqual(['write b', 'write a']);
    expect(desk.relays).toHaveLength(2);
  });
});

describe('a call that started in a process that ended', () => {
  const script = scriptByStep([[call('patch', 'a')], 'Done.']);
  /** The run up to the start of its call, and its resumption. */
  const goOn = async (rules: PermissionRuleSet, more: Partial<Scene> = {}) => {
    const whole = await play({ script, rules, ...more });
    const desk = new Desk();
    desk.events.push(...whole.events.slice(0, whole.events.findIndex(({ type }) => type === 'tool_start') + 1));
    const asked = desk.relays.length;
    await play({ script, desk, params: { run: { resume: foldRun(desk.events, 'run') } } });
    return { executed: desk.executed, askedAgain: desk.relays.length - asked };
  };

  it('keeps its permission: nobody is asked, though the rules would ask now', async () => {
    const allowed: PermissionRuleSet = { default: 'allow', rules: [] };
    expect(await goOn(allowed)).toEqual({ executed: ['patch a'], askedAgain: 0 });
  });

  it('resumes with the input that a person revised', async () => {
    const answer = () => ({ outcome: 'revise', input: { command: 'b' } }) as const;
    expect(await goOn({ rules: [] }, { answer })).toEqual({ executed: ['patch b'], askedAgain: 0 });
  });
});
