import type { LanguageModelV3, LanguageModelV3Prompt } from '@ai-sdk/provider';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { requestHashes } from '../../../test/support/request-hashes.ts';
import { lawRuns } from '../../../test/support/run-size.ts';
import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import { checkOrder } from '../../events/order.ts';
import { activeUpTo, defaultActive } from '../../graph/conversation/active.ts';
import { createConversation, reduceConversation } from '../../graph/conversation/conversation.ts';
import type { Message } from '../../projections/message.ts';
import { projectMessages } from '../../projections/model-input/project-messages.ts';
import { foldRun } from '../../projections/run-state.ts';
import type { Answers, RelayAnswer, UserMessage } from '../contract/host.ts';
import { toPrompt } from '../model/call/prompt.ts';
import type { ModelScript, ScriptedPart, ScriptedTurn } from '../model/scripted/script.ts';
import { scriptedModel } from '../model/scripted/scripted-model.ts';
import { loopAgent } from './loop-agent.ts';
import type { Tool } from '../contract/agent.ts';

const instructions = 'Follow the instructions.';
const maxOutputLength = 120;

type Answer = Omit<RelayAnswer, 'relayId'>;

interface Play {
  readonly script: ModelScript;
  readonly answer: (relay: EventOf<'relay'>) => Answer;
  readonly steer?: (events: readonly AgentEvent[]) => readonly UserMessage[];
}

const replay = (events: readonly AgentEvent[]) => events.reduce(reduceConversation, createConversation());

/** What a model is sent of the whole thread, from scratch. */
function messagesOf(events: readonly AgentEvent[]): Message[] {
  const conversation = replay(events);
  return projectMessages(conversation, defaultActive(conversation), { maxOutputLength });
}

/** One thread in memory: its log, the effects of its tools, and the model requests compared with the log. */
class Thread implements Answers {
  readonly events: AgentEvent[];
  readonly executed: string[] = [];
  readonly sent: {
    readonly is: LanguageModelV3Prompt;
    readonly should: LanguageModelV3Prompt;
    readonly after: readonly AgentEvent[];
  }[] = [];
  readonly #play: Play;
  #conversation = createConversation();
  #reduced = 0;

  constructor(play: Play, events: readonly AgentEvent[] = []) {
    this.#play = play;
    this.events = [...events];
  }

  async ask(runId: string): Promise<void> {
    this.events.push({ type: 'user', runId: `${runId}-asked`, content: `Question of ${runId}.` });
    await this.run(runId);
  }

  /** Starts the run, or resumes it when the log has a part of it. */
  async run(runId: string): Promise<void> {
    const { steer = () => [] } = this.#play;
    const begun = this.events.findIndex(event => event.runId === runId);
    const before = begun < 0 ? this.events : this.events.slice(0, begun);
    const asked = replay(before);
    const invoked = this.#agent().invoke({
      run: {
        runId,
        parentId: `${runId}-asked:user`,
        ...(begun >= 0 && { resume: foldRun(this.events, runId) }),
      },
      conversation: { messages: projectMessages(asked, activeUpTo(asked, `${runId}-asked:user`)) },
      host: { answers: this, steering: { take: () => steer(this.events) } },
    });
    for await (const event of invoked) this.events.push(event);
  }

  async wait(relayId: string): Promise<RelayAnswer> {
    const known = this.events.find(event => event.type === 'relay_resolved' && event.relayId === relayId);
    if (known?.type === 'relay_resolved') return known;
    const relay = this.events.find(
      (event): event is EventOf<'relay'> => event.type === 'relay' && event.id === relayId,
    );
    if (relay === undefined) throw new Error('the relay is not in the log');
    const { runId } = relay;
    const event: EventOf<'relay_resolved'> = { ...this.#play.answer(relay), type: 'relay_resolved', runId, relayId };
    this.events.push(event);
    return event;
  }

  #agent() {
    const input = z.object({ value: z.string(), turns: z.number().default(0) });
    const tool = (name: string, result: (value: string) => string, category = 'read'): Tool => ({
      name,
      description: name,
      category,
      input,
      execute: async (given, { toolCallId }) => {
        const { value, turns } = given as z.infer<typeof input>;
        this.executed.push(toolCallId);
        for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
        return result(value);
      },
    });
    const fail = (): string => {
      throw new Error('it failed');
    };
    return loopAgent({
      model: this.#watched(scriptedModel(this.#play.script)),
      instructions,
      maxOutputLength,
      maxIterations: 6,
      parallel: 3,
      retry: { delay: async () => {} },
      tools: [
        tool('echo', value => value),
        tool('long', value => value.repeat(100)),
        tool('fail', fail),
        tool('never', value => value, 'forbidden'),
        tool('ask', value => value, 'asked'),
      ],
      permissions: {
        default: 'allow',
        rules: [
          { category: 'forbidden', policy: 'deny' },
          { category: 'asked', policy: 'ask' },
        ],
      },
    });
  }

  #watched(model: LanguageModelV3): LanguageModelV3 {
    return {
      ...model,
      doStream: call => {
        const system = call.prompt[0]?.role === 'system' ? call.prompt[0].content : undefined;
        for (const event of this.events.slice(this.#reduced))
          this.#conversation = reduceConversation(this.#conversation, event);
        this.#reduced = this.events.length;
        const should = projectMessages(this.#conversation, defaultActive(this.#conversation), { maxOutputLength });
        this.sent.push({ is: call.prompt, should: toPrompt(should, system), after: [...this.events] });
        return model.doStream(call);
      },
    };
  }
}

/** The log gives the request of each step. */
function expectRequests(events: readonly AgentEvent[]): void {
  const { stated, fromEvents } = requestHashes(events);
  expect(fromEvents).toEqual(stated);
}

/** What was said and done, in order, by the plain rule: an attempt counts when its model call ended, with all its calls. */
function outlineOfLog(events: readonly AgentEvent[]): string[] {
  const lines: string[] = [];
  let text = '';
  let calls: string[] = [];
  for (const event of events) {
    if (event.type === 'user') lines.push(`user: ${event.content as string}`);
    if (event.type === 'step_start') [text, calls] = ['', []];
    if (event.type === 'text') text += event.content;
    if (event.type === 'tool_call') calls.push(event.name);
    if (event.type !== 'usage') continue;
    if (text !== '') lines.push(`text: ${text}`);
    lines.push(...calls.map(name => `call: ${name}`), ...calls.map(name => `result: ${name}`));
  }
  return lines;
}

function outlineOfPrompt(prompt: LanguageModelV3Prompt): string[] {
  return prompt.flatMap(({ role, content }) => {
    if (role === 'system') return [];
    return content.flatMap(part => {
      if (part.type === 'text') return `${role === 'user' ? 'user' : 'text'}: ${part.text}`;
      if (part.type === 'tool-call') return `call: ${part.toolName}`;
      return part.type === 'tool-result' ? `result: ${part.toolName}` : [];
    });
  });
}

describe('a model request', () => {
  const rawId = fc.constantFrom('call_1', 'call_2', 'a/b', 'call_1_2', 'x'.repeat(70), undefined);
  const input = fc.oneof(
    fc.record({ value: fc.string({ maxLength: 5 }), turns: fc.nat(3) }),
    fc.constantFrom({}, null, 5, [1]),
  );
  const name = fc.constantFrom('echo', 'long', 'fail', 'never', 'ask', 'nothing');
  const withId = <Call>(call: Call, id: string | undefined) => ({ ...call, ...(id !== undefined && { id }) });
  const call: fc.Arbitrary<ScriptedPart> = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.tuple(name, input, rawId).map(([name, input, id]) => ({ toolCall: withId({ name, input }, id) })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(name, rawId)
        .map(([name, id]) => ({ malformedToolCall: withId({ name, rawArguments: '{"value": "' }, id) })),
    },
  );
  const prose: fc.Arbitrary<ScriptedPart[]> = fc
    .tuple(fc.boolean(), fc.boolean())
    .map(([thinks, speaks]) => [
      ...(thinks ? [{ reasoning: 'Let me see.' }] : []),
      ...(speaks ? [{ text: 'I will.' }] : []),
    ]);
  const refused: fc.Arbitrary<ScriptedTurn[]> = fc.constantFrom(
    [],
    [],
    [{ httpStatus: 503 }],
    [[{ reasoning: 'Half a' }, { text: 'thought' }, { cut: true as const }]],
    [[{ toolCall: { id: 'call_1', name: 'echo', input: { value: 'lost' } } }, { cut: true as const }]],
  );
  const step = fc
    .tuple(refused, prose, fc.array(call, { minLength: 1, maxLength: 4 }))
    .map(([failed, said, calls]): ScriptedTurn[] => [...failed, [...said, ...calls]]);
  const turn = fc
    .tuple(fc.array(step, { maxLength: 3 }), refused)
    .map(([steps, failed]): ScriptedTurn[] => [...steps.flat(), ...failed, 'That is all.']);
  const answer: fc.Arbitrary<Answer> = fc.oneof(
    fc.constantFrom<Answer>({ outcome: 'approve' }, { outcome: 'approve', remember: 'thread' }, { outcome: 'reject' }),
    fc.constant<Answer>({ outcome: 'revise', input: { value: 'revised' }, remember: 'once' }),
  );
  const runs = fc.array(turn, { minLength: 1, maxLength: 3 });

  it('is the projection of the whole thread from scratch, at every step of every run', async () => {
    let longest = 0;
    await fc.assert(
      fc.asyncProperty(
        runs,
        fc.array(answer, { minLength: 1, maxLength: 4 }),
        fc.nat(3),
        async (turns, given, steerAt) => {
          const script = turns.flat();
          let asked = 0;
          let steered = 0;
          const thread = new Thread({
            script: ({ index }) => script[index] ?? 'More.',
            answer: () => given[asked++ % given.length] as Answer,
            steer: () => (steered++ === steerAt ? [{ id: 's', content: 'Go on.' }] : []),
          });
          for (const [index] of turns.entries()) await thread.ask(`run-${index}`);
          for (const { is, should, after } of thread.sent) {
            expect(is).toEqual(should);
            expect(outlineOfPrompt(is)).toEqual(outlineOfLog(after));
          }
          expect(checkOrder(thread.events)).toEqual([]);
          expectRequests(thread.events);
          expect(new Set(thread.executed).size).toBe(thread.executed.length);
          for (const { is } of thread.sent) expect(idsOf(is)).toEqual([...new Set(idsOf(is))]);
          longest = Math.max(longest, thread.sent.length);
        },
      ),
      { numRuns: lawRuns(100) },
    );
    expect(longest).toBeGreaterThan(5);
  });

  const idsOf = (prompt: LanguageModelV3Prompt) =>
    prompt.flatMap(message =>
      message.role === 'assistant'
        ? message.content.flatMap(part => (part.type === 'tool-call' ? part.toolCallId : []))
        : [],
    );
});

describe('a run that is resumed from any of its events', () => {
  const call = (name: string, value: unknown, id: string) => ({ toolCall: { id, name, input: { value } } });
  /** The model's response at each step; the first request for the second step is cut off. */
  const scriptOf = (cutOnce: boolean): ModelScript => {
    let cut = cutOnce;
    return ({ messages }) => {
      const answers = messages.filter(({ role }) => role === 'assistant').length;
      if (answers === 1 && cut) {
        cut = false;
        return [{ text: 'I will ask for' }, { cut: true }];
      }
      const steps: ScriptedTurn[] = [
        [
          { reasoning: 'Two at once.' },
          { text: 'I read both.' },
          call('echo', 'a', 'call_1'),
          call('echo', 'b', 'call_2'),
        ],
        [
          { text: 'I need a word.' },
          call('ask', 'c', 'call_1'),
          call('ask', 'd', 'call_2'),
          call('never', 'e', 'call_3'),
        ],
        [
          call('fail', 'f', 'call_1'),
          call('echo', 5, 'call_2'),
          { malformedToolCall: { name: 'echo', rawArguments: '{' } },
        ],
        'Nearly done.',
        'Done.',
      ];
      return steps[answers] ?? 'Too far.';
    };
  };
  const play = (cutOnce: boolean): Play => ({
    script: scriptOf(cutOnce),
    answer: relay =>
      relay.relayKind === 'permission' && relay.params['value'] === 'c'
        ? { outcome: 'approve' }
        : { outcome: 'revise', input: { value: 'D' } },
    steer: events =>
      events.filter(({ type }) => type === 'usage').length === 4 &&
      !events.some(event => event.type === 'user' && event.id === 's')
        ? [{ id: 's', content: 'And then?' }]
        : [],
  });
  const startsOf = (events: readonly AgentEvent[]) =>
    events.flatMap(event => (event.type === 'tool_start' ? [event.id] : []));
  const resultsOf = (events: readonly AgentEvent[]) =>
    events.flatMap(event => (event.type === 'tool_result' ? [event.id] : []));

  it('reaches an equivalent end, with every tool run and every person asked at most once', async () => {
    const whole = new Thread(play(true));
    await whole.ask('run');
    expect(checkOrder(whole.events)).toEqual([]);
    expect(whole.executed).toHaveLength(5);
    expect(whole.events.filter(({ type }) => type === 'relay')).toHaveLength(2);
    const expected = messagesOf(whole.events);
    let unknown = 0;

    for (let length = 1; length <= whole.events.length; length++) {
      const prefix = whole.events.slice(0, length);
      const thread = new Thread(play(false), prefix);
      await thread.run('run');
      const started = startsOf(prefix);
      const lost = started.filter(id => !resultsOf(prefix).includes(id));
      unknown += lost.length;

      expect([length, checkOrder(thread.events)]).toEqual([length, []]);
      expectRequests(thread.events);
      expect([length, thread.events.at(-1)]).toEqual([length, whole.events.at(-1)]);
      expect(thread.executed.filter(id => started.includes(id))).toEqual([]);
      expect(new Set(thread.executed).size).toBe(thread.executed.length);
      const asked = thread.events.flatMap(event => (event.type === 'relay' ? [event.toolCallId] : []));
      expect([length, asked]).toEqual([length, ['run/call_1_2', 'run/call_2_2']]);
      for (const { is, should } of thread.sent) expect(is).toEqual(should);
      for (const id of lost)
        expect(thread.events).toContainEqual(
          expect.objectContaining({
            type: 'tool_result',
            id,
            output: { error: expect.stringContaining('outcome of this call is unknown') as string },
          }),
        );
      if (lost.length === 0) expect([length, messagesOf(thread.events)]).toEqual([length, expected]);
    }
    expect(unknown).toBeGreaterThan(4);
  });

  it('is not resumed when it had failed, ended or reached its limit', async () => {
    const failing: Play = { script: [{ httpStatus: 400 }], answer: () => ({ outcome: 'approve' }) };
    const failed = new Thread(failing);
    await failed.ask('run');
    const again = new Thread(failing, failed.events.slice(0, -1));
    await again.run('run');
    expect([again.sent, again.events.at(-1)]).toMatchObject([[], { type: 'harness_end', reason: 'error' }]);

    const ended = new Thread(failing, failed.events);
    await ended.run('run');
    expect(ended.events).toEqual(failed.events);

    const endless: Play = {
      ...failing,
      script: ({ toolNames }) => (toolNames.length > 0 ? [call('echo', 'x', 'c')] : 'Enough.'),
    };
    const long = new Thread(endless);
    await long.ask('run');
    expect(long.events.at(-1)).toMatchObject({ reason: 'max_iterations' });
    const rest = new Thread(endless, long.events.slice(0, -1));
    await rest.run('run');
    expect(rest.events.at(-1)).toEqual(long.events.at(-1));
  });
});
