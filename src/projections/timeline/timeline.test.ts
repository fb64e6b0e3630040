import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { timeScale, getTimeSpan } from './time-scale.ts';
import { Timeline } from './timeline.ts';
import type { TimelineStep } from './timeline-step.ts';

const base = Date.parse('2026-01-01T00:00:00.000Z');

/** Events with their times in seconds. */
function timelineOf(...events: [seconds: number, event: AgentEvent][]): readonly TimelineStep[] {
  const timeline = new Timeline();
  for (const [index, [seconds, event]] of events.entries())
    timeline.take({ ...event, seq: index + 1, ts: new Date(base + seconds * 1000).toISOString() });
  return timeline.steps;
}
const rows = (steps: readonly TimelineStep[]) =>
  steps.map(({ kind, depth, label, detail, status, start, end }) => {
    const seconds = [start, end].map(time => (time === undefined ? '…' : (time - base) / 1000));
    return `${'  '.repeat(depth)}${kind} ${label}${detail && `: ${detail}`} ${status} ${seconds.join('-')}`;
  });
const run = 'r';
const start: AgentEvent = { type: 'harness_start', runId: run, agentId: 'claude', parentId: 'u:user' };

describe('a timeline', () => {
  it('has the times of the model, of tools and of people, with what tools did', () => {
    const call = { runId: run, id: 'r/1', name: 'Bash' };
    const steps = timelineOf(
      [0, { type: 'user', runId: 'u', content: 'Look.' }],
      [1, start],
      [4, { type: 'text', runId: run, id: 't', content: 'I will\nlook' }],
      [5, { type: 'text', runId: run, id: 't', content: ' now.' }],
      [6, { type: 'tool_call', ...call, input: { command: 'npm test' } }],
      [
        6,
        {
          type: 'relay',
          runId: run,
          id: 'q',
          relayKind: 'permission',
          toolCallId: 'r/1',
          tool: 'Bash',
          params: {},
          command: 'npm test',
        },
      ],
      [16, { type: 'relay_resolved', runId: run, relayId: 'q', outcome: 'approve' }],
      [17, { type: 'tool_start', ...call }],
      [19, { type: 'tool_result', ...call, output: { context: 'a', result: { exitCode: 0 } } }],
      [22, { type: 'text', runId: run, id: 't2', content: 'Done.' }],
      [22, { type: 'usage', runId: run, inputTokens: 1, outputTokens: 1, model: 'opus' }],
      [23, { type: 'harness_end', runId: run, agentId: 'claude', reason: 'complete' }],
    );
    expect(rows(steps)).toEqual([
      'person message: Look. done 0-0',
      'run claude done 1-23',
      'model model: I will look now. done 1-6',
      'tool Bash: npm test done 17-19',
      'person permission: npm test done 6-16',
      'model opus: Done. done 19-22',
    ]);
    expect(steps[3]).toMatchObject({ operation: 'command', seq: 5, endSeq: 9 });
  });

  it('nests a subagent, overlaps parallel calls, and stops what a run left open', () => {
    const call = (id: string): AgentEvent => ({
      type: 'tool_call',
      runId: run,
      id,
      name: 'agent',
      input: { task: id },
    });
    const steps = timelineOf(
      [0, start],
      [1, { type: 'step_start', runId: run, step: 0, model: 'opus' }],
      [2, call('r/1')],
      [2, call('r/2')],
      [3, { type: 'harness_start', runId: 'c', agentId: 'reader', parentId: 'r/1' }],
      [4, { type: 'error', runId: 'c', message: 'No.' }],
      [5, { type: 'harness_end', runId: 'c', agentId: 'reader', reason: 'error' }],
      [6, { type: 'tool_result', runId: run, id: 'r/1', name: 'agent', output: { error: 'No.' } }],
      [9, { type: 'harness_end', runId: run, agentId: 'claude', reason: 'aborted' }],
    );
    expect(rows(steps)).toEqual([
      'run claude stopped 0-9',
      'model opus done 1-2',
      'tool agent: r/1 failed 2-6',
      'tool agent: r/2 stopped 2-9',
      '  run reader failed 3-5',
      '  note error: No. failed 4-4',
    ]);
  });

  it('has rows for a run whose beginning is missing', () => {
    expect(rows(timelineOf([1, { type: 'text', runId: run, id: 't', content: 'Hi' }]))).toEqual([
      'run agent running 1-…',
      'model model: Hi running 1-1',
    ]);
  });
});

describe('the time scale', () => {
  const step = (start: number, end: number, kind: TimelineStep['kind'] = 'tool'): TimelineStep => ({
    seq: 1,
    runId: run,
    depth: 0,
    kind,
    label: '',
    detail: '',
    start,
    end,
    status: 'done',
  });

  it('shrinks idle gaps of more than 5 % to a mark, and waits for people with them', () => {
    const span = getTimeSpan([
      step(0, 1000, 'run'),
      step(0, 100),
      step(100, 900, 'person'),
      step(900, 960),
      step(990, 1000),
    ]);
    expect(span).toEqual({ start: 0, end: 1000, gaps: [{ from: 100, to: 900 }] });
    const at = timeScale(span, 228, 28);
    expect([0, 100, 500, 900, 1000].map(at)).toEqual([0, 100, 114, 128, 228]);
  });

  it('has a place for every time of an empty timeline', () => {
    const span = getTimeSpan([]);
    expect(timeScale(span, 100, 28)(0)).toBe(0);
  });
});
