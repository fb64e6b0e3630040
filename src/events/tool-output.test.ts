import { describe, expect, it } from 'vitest';
import { createConversation, reduceConversation } from '../graph/conversation/conversation.ts';
import { createGraph, reduceEvent } from '../graph/graph.ts';
import { defaultActive } from '../graph/conversation/active.ts';
import { MemoryLog } from '../log/memory-log.ts';
import { projectMessages } from '../projections/model-input/project-messages.ts';
import { projectThread } from '../projections/reading/project-thread.ts';
import { flowEncoder } from '../protocols/flow/flow-encoder.ts';
import type { AgentEvent } from './vocabulary.ts';
import { toToolOutput } from './tools.ts';

const shapes: readonly unknown[] = ['plain text', 7, null, ['a', 'b'], { rows: [1, 2] }, { error: { code: 5 } }, {}];

describe.each(shapes)('a tool result of another shape: %j', output => {
  const events: AgentEvent[] = [
    { type: 'user', runId: 'u', content: 'Go.' },
    { type: 'harness_start', runId: 'run', agentId: 'a', parentId: 'u:user' },
    { type: 'tool_call', runId: 'run', id: 'run/c', name: 'look', input: {} },
    { type: 'tool_result', runId: 'run', id: 'run/c', name: 'look', output },
    { type: 'harness_end', runId: 'run', agentId: 'a', reason: 'complete' },
  ];

  it('survives in the log and in the graph', async () => {
    const log = new MemoryLog();
    const { id } = await log.createThread();
    await log.append(id, events);
    expect((await log.read(id))[3]).toMatchObject({ output });
    expect(events.reduce(reduceEvent, createGraph()).nodes.get('run/c:result')).toMatchObject({ output });
  });

  it('is sent to the model and shown', () => {
    const conversation = events.reduce(reduceConversation, createConversation());
    const active = defaultActive(conversation);
    expect(projectMessages(conversation, active).at(-1)).toMatchObject({ content: [{ output: { context: output } }] });
    expect(JSON.stringify(projectThread(conversation, active))).toContain(JSON.stringify(output));
    const encoder = flowEncoder();
    const shown = [...events.flatMap(event => encoder.encode(event)), ...encoder.end()];
    expect(shown.some(event => JSON.stringify(event).includes(`"result":${JSON.stringify(output)}`))).toBe(true);
  });
});

it('keeps the three known shapes as they are', () => {
  for (const output of [{ context: 'a', result: 1 }, { status: 'denied', reason: 'no' }, { error: 'no' }])
    expect(toToolOutput(output)).toBe(output);
});
