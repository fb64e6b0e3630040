import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LoggedEvent } from '../../src/events/index.ts';
import { threadReading, type ThreadReading, type ToolPart, type ViewNode } from '../../src/projections/index.ts';
import { acpEncoder } from '../../src/protocols/acp/acp-encoder.ts';
import type { AcpCallStatus, AcpStep, AcpUpdate } from '../../src/protocols/acp/acp-update.ts';
import { replayUpdates } from '../../src/protocols/acp/replay.ts';
import { acpProblem } from '../support/acp-schema.ts';
import { conversationLog } from '../support/random-conversations.ts';

const read = (events: readonly LoggedEvent[]): ThreadReading =>
  threadReading.view(events.reduce(threadReading.step, threadReading.initial));
const stepsOf = (events: readonly LoggedEvent[]): AcpStep[] => {
  const encoder = acpEncoder({ cwd: '/project', hasNotices: true, contextWindow: () => 1_000 });
  return events.flatMap(event => encoder.encode(event));
};
const updatesIn = (steps: readonly AcpStep[]): AcpUpdate[] =>
  steps.flatMap(step => (step.type === 'update' ? [step.update] : []));

/** What a client holds after some updates: the texts by message, and the calls by id. */
function fold(updates: readonly AcpUpdate[]) {
  const texts = new Map<string, string>();
  const calls = new Map<string, { title?: string; status?: AcpCallStatus }>();
  for (const update of updates)
    if (update.sessionUpdate === 'agent_message_chunk' || update.sessionUpdate === 'agent_thought_chunk') {
      const text = update.content.type === 'text' ? update.content.text : '';
      const key = `${update.sessionUpdate} ${update.messageId}`;
      texts.set(key, (texts.get(key) ?? '') + text);
    } else if (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update')
      calls.set(update.toolCallId, { ...calls.get(update.toolCallId), ...update });
  return { texts, calls };
}

/** The texts of the reading view, by the ids that a client knows them with. */
function readTexts({ nodes }: ThreadReading): { key: string; text: string; seq: number }[] {
  return nodes.flatMap(({ parts, memory }) =>
    parts.flatMap(part =>
      memory === undefined && (part.kind === 'text' || part.kind === 'reasoning')
        ? [
            {
              key: `agent_${part.kind === 'text' ? 'message' : 'thought'}_chunk ${part.id}`,
              text: part.text,
              seq: part.seq ?? 0,
            },
          ]
        : [],
    ),
  );
}

/** The calls of the reading view, those of subagents included. */
function readCalls(nodes: readonly ViewNode[]): ToolPart[] {
  return nodes.flatMap(({ parts, memory }) =>
    memory === undefined
      ? parts.flatMap(part => {
          if (part.kind === 'tool') return [part, ...readCalls(part.runs)];
          return part.kind === 'repl' || part.kind === 'run' ? readCalls(part.runs) : [];
        })
      : [],
  );
}

describe('updates for editors', () => {
  it('pass the published schema, for any log', () => {
    fc.assert(
      fc.property(conversationLog(), events => {
        const updates = [...updatesIn(stepsOf(events)), ...replayUpdates(read(events), '/project')];
        const problems = updates.map(update => acpProblem('SessionNotification', { sessionId: 's', update }));
        expect(problems.filter(problem => problem !== undefined)).toEqual([]);
      }),
    );
  });

  it('begin a call once, before its updates and before what is asked about it', () => {
    fc.assert(
      fc.property(conversationLog(), events => {
        const begun = new Set<string>();
        const asked = new Set<string>();
        for (const step of stepsOf(events))
          if (step.type === 'ask') {
            expect(begun).toContain(step.toolCall.toolCallId);
            expect(asked).not.toContain(step.relay.id);
            asked.add(step.relay.id);
          } else if (step.type === 'settled') expect(asked.delete(step.relayId)).toBe(true);
          else if (step.type === 'update' && step.update.sessionUpdate === 'tool_call_update')
            expect(begun).toContain(step.update.toolCallId);
          else if (step.type === 'update' && step.update.sessionUpdate === 'tool_call') {
            const { toolCallId } = step.update;
            // Some logs use this id again.
            if (!toolCallId.includes('/same')) expect(begun).not.toContain(toolCallId);
            begun.add(toolCallId);
          }
      }),
    );
  });

  it('of a load fold back to the texts and the calls of the reading view', () => {
    fc.assert(
      fc.property(conversationLog(), events => {
        const reading = read(events);
        const { texts, calls } = fold([...replayUpdates(reading, '/project')]);
        expect([...texts]).toEqual(
          readTexts(reading)
            .filter(({ text }) => text !== '')
            .map(({ key, text }) => [key, text]),
        );
        const shown = readCalls(reading.nodes);
        expect(shown.filter(({ id }) => !calls.has(id))).toEqual([]);
        for (const { id, output } of shown)
          if (output !== undefined) expect(calls.get(id)?.status).toBe('context' in output ? 'completed' : 'failed');
      }),
    );
  });

  it('of a log that is cut anywhere and loaded have every text and call once', () => {
    fc.assert(
      fc.property(conversationLog(), fc.nat(60), (log, place) => {
        const events = withoutAttempts(log);
        const cut = Math.min(place, events.length);
        const seq = events[cut - 1]?.seq ?? 0;
        const before = read(events.slice(0, cut));
        const encoder = acpEncoder({ cwd: '/project' });
        for (const event of events.slice(0, cut)) encoder.encode(event);
        const after = events.slice(cut).flatMap(event => encoder.encode(event));
        const { texts, calls } = fold([...replayUpdates(before, '/project'), ...updatesIn(after)]);
        const atCut = new Set(readTexts(before).map(({ key }) => key));
        const reading = read(events);
        const expected = byStream(readTexts(reading).filter(text => text.seq > seq || atCut.has(text.key)));
        const held = byStream([...texts].map(([key, text]) => ({ key, text })));
        for (const [stream, [first, ...more]] of expected)
          if (more.length === 0) expect(held.get(stream)?.join('') ?? '').toBe(first);
          else expect(held.get(stream)?.join('') ?? '').toHaveLength([first, ...more].join('').length);
        // A subagent that outlasts its turn is shown by the next load; an id that is used twice names its newest call.
        for (const { id, output, seq: at = 0 } of reading.nodes.flatMap(({ toolCalls }) => toolCalls))
          if (output !== undefined && at > seq && !id.includes('/same'))
            expect(calls.get(id)?.status).toBe('context' in output ? 'completed' : 'failed');
      }),
    );
  });
});

/** The texts of each stream: one that continues in a later step has several parts in the reading view. */
function byStream(texts: readonly { readonly key: string; readonly text: string }[]): Map<string, string[]> {
  const streams = new Map<string, string[]>();
  for (const { key, text } of texts) {
    const stream = key.replace(/#\d+$/, '');
    streams.set(stream, [...(streams.get(stream) ?? []), text]);
  }
  return streams;
}

/** The log without second attempts at a step, whose first words an editor cannot take back, and without old branches. */
function withoutAttempts(events: readonly LoggedEvent[]): LoggedEvent[] {
  const steps = new Map<string, number>();
  return events.filter(event => {
    // A report of usage alone does not say which run it is of.
    if (event.type === 'branch_selected' || event.type === 'usage') return false;
    if (event.type !== 'step_start') return true;
    const isAgain = (steps.get(event.runId) ?? -1) >= event.step;
    steps.set(event.runId, event.step);
    return !isAgain;
  });
}
