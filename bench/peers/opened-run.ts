import { Harness } from 'singletree/control';
import type { AgentEvent } from 'singletree/events';
import { MemoryLog } from 'singletree/log';

/** Milliseconds in which a harness opens a thread with one run of this many calls; the fastest of three. */
export async function openRun(calls: number): Promise<number> {
  const log = new MemoryLog();
  const { id: threadId } = await log.createThread({ resourceId: 'bench' });
  await log.append(threadId, eventsOf(calls));
  const times: number[] = [];
  for (let time = 0; time < 3; time++) {
    const agent = { id: 'bench', async *invoke() {} };
    const harness = new Harness({ id: 'bench', storage: log, modes: [{ id: 'main', agent }] });
    const before = performance.now();
    await harness.switchThread({ threadId });
    times.push(performance.now() - before);
    if (harness.getDisplayState().activeTools.size !== calls) throw new Error('The display lacks calls.');
    await harness.destroy();
  }
  return Math.min(...times);
}

function eventsOf(calls: number): AgentEvent[] {
  const runId = 'run';
  const events: AgentEvent[] = [
    { type: 'user', runId: 'ask', content: 'Work.' },
    { type: 'harness_start', runId, agentId: 'bench', parentId: 'ask:user' },
  ];
  for (let step = 0; step < calls; step++) {
    const call = { runId, id: `call-${step}`, name: 'write_file' };
    events.push(
      { type: 'step_start', runId, step },
      { type: 'tool_call', ...call, input: { path: `${step}.txt` } },
      { type: 'tool_start', ...call },
      { type: 'tool_result', ...call, output: { context: 'Written.', result: 'Written.' } },
      { type: 'usage', runId, inputTokens: 10, outputTokens: 10 },
    );
  }
  return [...events, { type: 'harness_end', runId, agentId: 'bench', reason: 'complete' }];
}
