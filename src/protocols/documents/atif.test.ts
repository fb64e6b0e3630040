import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentEvent, eventStream } from '../../../test/support/random-events.ts';
import { conversationLog } from '../../../test/support/random-conversations.ts';
import { textOfContent } from '../../events/content-text.ts';
import type { AgentEvent, LoggedEvent } from '../../events/vocabulary.ts';
import { createConversation, reduceConversation } from '../../graph/conversation/conversation.ts';
import { defaultActive } from '../../graph/conversation/active.ts';
import { projectThread } from '../../projections/reading/project-thread.ts';
import { toAtif } from './atif.ts';
import { atifTrajectory, type AtifTrajectory } from './atif-schema.ts';

const version = '1.2.3';
const at = (second: number) => `2026-11-17T10:00:${String(second).padStart(2, '0')}.000Z`;
const logged = (events: readonly object[]): LoggedEvent[] =>
  events.map((event, index) => ({ ts: at(index), ...event, seq: index + 1 }) as unknown as LoggedEvent);
const write = (events: readonly object[]) => toAtif({ threadId: 't1', events: logged(events), version });

const tool = { type: 'function', name: 'bash', description: 'Runs a command', inputSchema: { type: 'object' } };
const turn = [
  { type: 'user', runId: 'u', content: 'List the files' },
  { type: 'harness_start', runId: 'r1', agentId: 'coder', parentId: 'u:user', model: 'anthropic/sonnet' },
  {
    type: 'model_context',
    runId: 'r1',
    id: 'ctx',
    provider: 'anthropic',
    instructions: 'You list files.',
    tools: [{ id: 'tool', tool }],
    settings: {},
  },
  { type: 'step_start', runId: 'r1', step: 0, contextId: 'ctx', model: 'anthropic/sonnet' },
  { type: 'reasoning', runId: 'r1', id: 'why', content: 'A listing.' },
  { type: 'text', runId: 'r1', id: 'say', content: 'I ' },
  { type: 'text', runId: 'r1', id: 'say', content: 'look.' },
  { type: 'tool_call', runId: 'r1', id: 'c1', name: 'bash', input: { command: 'ls' } },
  { type: 'usage', runId: 'r1', inputTokens: 1200, outputTokens: 30, cacheReadTokens: 1000, cost: 0.002 },
  {
    type: 'relay',
    runId: 'r1',
    id: 'q',
    relayKind: 'permission',
    tool: 'bash',
    toolCallId: 'c1',
    params: { command: 'ls' },
  },
  { type: 'relay_resolved', runId: 'r1', relayId: 'q', outcome: 'approve', by: 'ann' },
  { type: 'tool_start', runId: 'r1', id: 'c1', name: 'bash' },
  { type: 'tool_result', runId: 'r1', id: 'c1', name: 'bash', output: { context: 'a.txt\n' } },
  { type: 'step_start', runId: 'r1', step: 1, contextId: 'ctx', model: 'anthropic/sonnet' },
  { type: 'text', runId: 'r1', id: 'end', content: 'There is a.txt.' },
  { type: 'usage', runId: 'r1', inputTokens: 1260, outputTokens: 9 },
  { type: 'harness_end', runId: 'r1', agentId: 'coder' },
];

describe('a thread as an ATIF trajectory', () => {
  it('has one step for each model call, with its calls, results, approvals and tokens', () => {
    expect(write(turn)).toEqual({
      schema_version: 'ATIF-v1.7',
      session_id: 't1',
      trajectory_id: 'r1',
      agent: {
        name: 'coder',
        version,
        model_name: 'anthropic/sonnet',
        tool_definitions: [
          {
            type: 'function',
            function: { name: 'bash', description: 'Runs a command', parameters: { type: 'object' } },
          },
        ],
      },
      steps: [
        { step_id: 1, timestamp: at(0), source: 'user', message: 'List the files' },
        { step_id: 2, source: 'system', message: 'You list files.' },
        {
          step_id: 3,
          timestamp: at(4),
          source: 'agent',
          message: 'I look.',
          model_name: 'anthropic/sonnet',
          reasoning_content: 'A listing.',
          tool_calls: [
            {
              tool_call_id: 'c1',
              function_name: 'bash',
              arguments: { command: 'ls' },
              extra: { singletree: { relay: { outcome: 'approve', by: 'ann', waited_ms: 1000 } } },
            },
          ],
          observation: { results: [{ source_call_id: 'c1', content: 'a.txt\n' }] },
          metrics: { prompt_tokens: 1200, completion_tokens: 30, cached_tokens: 1000, cost_usd: 0.002 },
          llm_call_count: 1,
        },
        {
          step_id: 4,
          timestamp: at(14),
          source: 'agent',
          message: 'There is a.txt.',
          model_name: 'anthropic/sonnet',
          metrics: { prompt_tokens: 1260, completion_tokens: 9 },
          llm_call_count: 1,
        },
      ],
      final_metrics: {
        total_prompt_tokens: 2460,
        total_completion_tokens: 39,
        total_cached_tokens: 1000,
        total_cost_usd: 0.002,
        total_steps: 4,
      },
      extra: { singletree: { threadId: 't1', version, fromSeq: 1, toSeq: turn.length } },
    });
  });

  it('embeds the runs of subagents, however deep, and refers to them from the results of their calls', () => {
    const nested = (depth: number): object[] =>
      depth === 3
        ? []
        : [
            { type: 'tool_call', runId: `r${depth}`, id: `c${depth}`, name: 'task', input: {} },
            { type: 'harness_start', runId: `r${depth + 1}`, agentId: 'sub', parentId: `c${depth}` },
            { type: 'text', runId: `r${depth + 1}`, id: 't', content: `depth ${depth + 1}` },
            ...nested(depth + 1),
            { type: 'harness_end', runId: `r${depth + 1}`, agentId: 'sub' },
            { type: 'tool_result', runId: `r${depth}`, id: `c${depth}`, name: 'task', output: { context: 'done' } },
          ];
    const document = write([
      { type: 'user', runId: 'u', content: 'Go' },
      { type: 'harness_start', runId: 'r0', agentId: 'top', parentId: 'u:user' },
      ...nested(0),
      { type: 'harness_end', runId: 'r0', agentId: 'top' },
    ]);
    atifTrajectory().parse(document);
    expect(document.subagent_trajectories?.map(({ trajectory_id: id, steps }) => [id, steps[0]?.message])).toEqual([
      ['r1', 'depth 1'],
      ['r2', 'depth 2'],
      ['r3', 'depth 3'],
    ]);
    expect(document.steps.at(-1)?.observation?.results).toEqual([
      { source_call_id: 'c0', content: 'done', subagent_trajectory_ref: [{ trajectory_id: 'r1' }] },
    ]);
  });

  it('says which calls have no result, and how a run ended', () => {
    const { steps } = write([
      ...turn.slice(0, 9),
      { type: 'harness_end', runId: 'r1', agentId: 'coder', reason: 'aborted' },
    ]);
    expect(steps.at(-1)).toMatchObject({
      observation: { results: [{ source_call_id: 'c1', content: 'Interrupted: the outcome is not known.' }] },
      extra: { singletree: { end: 'aborted' } },
    });
  });

  it('stores images beside the document, or names them', () => {
    const events = logged([
      { type: 'user', runId: 'u', content: [{ type: 'image', mediaType: 'image/png', data: 'AAAA' }] },
    ]);
    const saved: string[] = [];
    const saveImage = ({ data }: { data: string }) => `images/${saved.push(data)}.png`;
    expect(toAtif({ threadId: 't', events, version }, saveImage).steps[0]?.message).toEqual([
      { type: 'image', source: { media_type: 'image/png', path: 'images/1.png' } },
    ]);
    expect(toAtif({ threadId: 't', events, version }).steps[0]?.message).toEqual([
      { type: 'text', text: '[image: image/png]' },
    ]);
  });

  it.each<[string, object[]]>([
    ['nothing', []],
    ['an empty run', [{ type: 'harness_start', runId: 'r', agentId: 'a' }]],
    [
      'a result before its call',
      [{ type: 'tool_result', runId: 'r', id: 'c', name: 'x', output: { context: 'late' } }],
    ],
    ['two calls with one id', [1, 2].map(input => ({ type: 'tool_call', runId: 'r', id: 'c', name: 'x', input }))],
  ])('is valid for a thread of %s', (_, events) => {
    atifTrajectory().parse(write(events));
  });

  it('is valid for every log, and has the words and calls of the reading view', () => {
    const events = fc.oneof(
      conversationLog(),
      eventStream().map(logged),
      fc.array(agentEvent(), { maxLength: 30 }).map(logged),
    );
    fc.assert(
      fc.property(events, list => {
        const document = toAtif({ threadId: 't', events: list, version });
        atifTrajectory().parse(document);
        const [written, read] = [wordsIn(document), wordsRead(list)];
        // The names of files follow the words.
        const said = written.said.map((text, index) => text.slice(0, read.said[index]?.length));
        expect({ ...written, said }).toEqual(read);
      }),
    );
  });
});

/** What people and agents said and which tools were called, without subagents. */
interface Words {
  readonly said: readonly string[];
  readonly answered: string;
  readonly called: readonly string[];
}

function wordsIn({ steps }: AtifTrajectory): Words {
  const agent = steps.filter(({ source }) => source === 'agent');
  return {
    said: steps.flatMap(({ source, message }) => (source === 'user' ? [plain(message)] : [])),
    answered: agent.map(({ message }) => plain(message)).join(''),
    called: agent.flatMap(({ tool_calls: calls = [] }) => calls.map(call => call.function_name)),
  };
}

function plain(message: AtifTrajectory['steps'][number]['message']): string {
  return typeof message === 'string'
    ? message
    : message.map(part => (part.type === 'text' ? part.text : '')).join('\n');
}

function wordsRead(events: readonly AgentEvent[]): Words {
  const conversation = events.reduce(reduceConversation, createConversation());
  const { messages } = defaultActive(conversation);
  const parts = projectThread(conversation, { messages, full: true }).flatMap(node => node.parts);
  return {
    said: parts.flatMap(part => (part.kind === 'user' ? [textOfContent(part.content)] : [])),
    answered: parts.map(part => (part.kind === 'text' ? part.text : '')).join(''),
    called: parts.flatMap(part => {
      if (part.kind === 'tool') return 'input' in part || part.inputText !== '' ? [part.name] : [];
      return part.kind === 'repl' && part.code !== undefined ? ['repl'] : [];
    }),
  };
}
