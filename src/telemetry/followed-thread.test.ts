import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversationLog, unlogged } from '../../test/support/random-conversations.ts';
import { lawRuns } from '../../test/support/run-size.ts';
import { gate } from '../../test/support/scripted-agent.ts';
import type { AgentEvent } from '../events/vocabulary.ts';
import { MemoryLog } from '../log/memory-log.ts';
import { readEvents } from '../log/read-events.ts';
import { foldSpans } from '../protocols/otel/span-fold.ts';
import type { Span } from '../protocols/otel/span.ts';
import { FollowedThread } from './followed-thread.ts';

async function readAll(log: MemoryLog, threadId: string) {
  const events = [];
  for await (const event of readEvents(log, threadId)) events.push(event);
  return events;
}

/** A run whose end a test decides, as a supervisor would return it. */
function startedRun(threadId: string, runId: string, seq: number) {
  const end = gate();
  const run = { threadId, runId, seq, isDetached: false, done: end.opened.then(() => 'complete' as const) };
  return { run, end: (lastSeq: number) => (Object.assign(run, { seq: lastSeq }), end.open(), run.done) };
}

async function following(): Promise<{ log: MemoryLog; threadId: string; spans: Span[]; thread: FollowedThread }> {
  const log = new MemoryLog();
  const { id: threadId } = await log.createThread();
  const spans: Span[] = [];
  const onDiagnostic = ({ cause }: { cause: unknown }) => {
    throw cause;
  };
  const thread = new FollowedThread({ log, threadId, content: true, onSpan: span => spans.push(span), onDiagnostic });
  return { log, threadId, spans, thread };
}

const runEvents = (runId: string): AgentEvent[] => [
  { type: 'harness_start', runId, agentId: 'a' },
  { type: 'usage', runId, inputTokens: 1, outputTokens: 1 },
  { type: 'harness_end', runId, agentId: 'a', reason: 'complete' },
];

describe('a followed thread', () => {
  it('has the spans of the stored thread, for random logs that grow while it reads', async () => {
    await fc.assert(
      fc.asyncProperty(conversationLog(60), fc.nat(7), async (events, size) => {
        const { log, threadId, spans, thread } = await following();
        const runIds = new Set(events.flatMap(({ type, runId }) => (type === 'harness_start' ? runId : [])));
        const runs = [...runIds].map(runId => startedRun(threadId, runId, 0));
        for (const { run } of runs) thread.follow(run, run.seq);
        const left = unlogged(events);
        while (left.length > 0) await log.append(threadId, left.splice(0, size + 1));
        for (const { end } of runs) await end((await log.getThread(threadId))?.seq ?? 0);
        await thread.close();
        expect(spans).toEqual(foldSpans(await readAll(log, threadId), { threadId, content: true }));
      }),
      { numRuns: lawRuns(100) },
    );
  });

  it('leaves the runs of other processes to them, before and between its own', async () => {
    const { log, threadId, spans, thread } = await following();
    const own = async (runId: string) => {
      const { run, end } = startedRun(threadId, runId, (await log.getThread(threadId))?.seq ?? 0);
      thread.follow(run, run.seq);
      await end((await log.append(threadId, runEvents(runId))).lastSeq);
    };
    await log.append(threadId, runEvents('other'));
    await own('first');
    await log.append(threadId, runEvents('another'));
    await own('second');
    await thread.close();
    expect(spans.filter(({ name }) => name === 'invoke_agent a')).toHaveLength(2);
    expect(spans).toEqual(
      foldSpans(await readAll(log, threadId), { threadId, content: true }).filter((_, index) =>
        [2, 3, 6, 7].includes(index),
      ),
    );
  });

  it('includes what served a run and ended after it', async () => {
    const { log, threadId, spans, thread } = await following();
    const { run, end } = startedRun(threadId, 'first', 0);
    thread.follow(run, run.seq);
    const memory = { operation: 'observation' as const, background: true, tokens: 1 };
    const [start, , stop] = runEvents('first') as [AgentEvent, AgentEvent, AgentEvent];
    const { lastSeq } = await log.append(threadId, [
      start,
      { type: 'harness_start', runId: 'observer', agentId: 'observer', parentId: 'first', memory },
      stop,
    ]);
    await end(lastSeq);
    await log.append(threadId, [{ type: 'harness_end', runId: 'observer', agentId: 'observer', reason: 'complete' }]);
    await thread.close();
    expect(spans.map(({ name }) => name)).toEqual(['invoke_agent a', 'invoke_agent observer']);
    expect(spans[1]).toMatchObject({ traceId: spans[0]?.traceId, parentSpanId: spans[0]?.spanId });
  });
});
