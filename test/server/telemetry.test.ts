import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../src/base/diagnostics.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { foldSpans } from '../../src/protocols/otel/span-fold.ts';
import { gate, scriptedAgent } from '../support/scripted-agent.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { ask } from './http.ts';

let hold = gate();
const agent = scriptedAgent('worker', async function* ({ event, until }) {
  yield event('usage', { inputTokens: 7, outputTokens: 3, cacheReadTokens: 2, cost: 0.25 });
  yield event('error', { message: 'odd', code: 'odd "code"\n' });
  await until(hold.opened);
});
const trace = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', parentSpanId: '00f067aa0ba902b7' };
const traceparent = `00-${trace.traceId}-${trace.parentSpanId}-01`;

let server: TestServer;
let log: MemoryLog;
const diagnostics: Diagnostic[] = [];
beforeEach(async () => {
  hold = gate();
  diagnostics.length = 0;
  log = new MemoryLog();
  server = await startTestServer([agent], { log, onDiagnostic: diagnostic => diagnostics.push(diagnostic) });
});
afterEach(async () => {
  hold.open();
  await server.close();
});

const say = (threadId: string, body: object, headers: Record<string, string> = {}) =>
  ask(server.url, `/api/threads/${threadId}/messages`, { method: 'POST', body, headers });
const metric = async (name: string): Promise<string[]> =>
  (await ask(server.url, '/metrics')).text.split('\n').filter(line => line.startsWith(name));
const idle = async () => {
  for (const run of server.control.running()) await run.done;
};

describe('the traceparent of a request', () => {
  it('is the parent of the run that its message starts, retries, or begins later', async () => {
    const { id } = await log.createThread();
    await say(id, { content: 'One.' }, { traceparent });
    await say(id, { content: 'Two.', delivery: 'follow_up' }, { traceparent });
    hold.open();
    await expect.poll(async () => (await log.read(id)).filter(({ type }) => type === 'harness_end').length).toBe(2);
    await idle();
    const [first] = (await log.read(id)).filter(event => event.type === 'user');
    await ask(server.url, `/api/threads/${id}/retries`, {
      method: 'POST',
      body: { messageId: `${first?.runId}:user` },
      headers: { traceparent },
    });
    await idle();
    await say(id, { content: 'Mine.' }, { traceparent: 'nonsense' });
    await idle();
    const runs = foldSpans(await log.read(id), { threadId: id }).filter(({ name }) => name === 'invoke_agent worker');
    expect(runs.map(({ parentSpanId }) => parentSpanId)).toEqual([
      trace.parentSpanId,
      trace.parentSpanId,
      trace.parentSpanId,
      undefined,
    ]);
    expect(new Set(runs.slice(0, 3).map(({ traceId }) => traceId))).toEqual(new Set([trace.traceId]));
  });
});

describe('/metrics', () => {
  it('has the runs, leases and open things of now, and sums of what ended', async () => {
    const { id } = await log.createThread();
    await say(id, { content: 'One.' });
    await say(id, { content: 'Two.', delivery: 'follow_up' });
    expect(await metric('singletree_running_runs')).toEqual(['singletree_running_runs 1']);
    expect(await metric('singletree_leases_held')).toEqual(['singletree_leases_held 1']);
    expect(await metric('singletree_open{')).toEqual([
      'singletree_open{kind="run"} 1',
      'singletree_open{kind="relay"} 0',
      'singletree_open{kind="message"} 1',
    ]);
    hold.open();
    await expect.poll(() => metric('singletree_runs_total')).toEqual(['singletree_runs_total{outcome="complete"} 2']);
    expect(await metric('singletree_tokens_total')).toEqual([
      'singletree_tokens_total{kind="input"} 14',
      'singletree_tokens_total{kind="output"} 6',
      'singletree_tokens_total{kind="cacheRead"} 4',
      'singletree_tokens_total{kind="cacheWrite"} 0',
      'singletree_tokens_total{kind="reasoning"} 0',
    ]);
    expect(await metric('singletree_cost_dollars_total')).toEqual(['singletree_cost_dollars_total 0.5']);
    expect(await metric('singletree_events_appended_total')).toEqual(['singletree_events_appended_total 8']);
    await ask(server.url, '/api/threads/none');
    expect(await metric('singletree_errors_total')).toEqual([
      'singletree_errors_total{code="thread_not_found"} 1',
      'singletree_errors_total{code="odd \\"code\\"\\n"} 2',
    ]);
  });

  it('shows what became of spans when they are exported', async () => {
    const telemetry = { counts: { sent: 5, dropped: 2, waiting: 1 } };
    const other = await startTestServer([], { telemetry });
    const { text } = await ask(other.url, '/metrics');
    expect(text).toContain('singletree_spans_total{result="sent"} 5\nsingletree_spans_total{result="dropped"} 2\n');
    expect(text).toContain('singletree_spans_waiting 1\n');
    await other.close();
  });

  it('counts a delivery that failed, and reports it', async () => {
    const { id } = await log.createThread();
    await say(id, { content: 'One.' });
    await say(id, { content: 'Two.', delivery: 'follow_up' });
    const read = log.getThread.bind(log);
    log.getThread = () => Promise.reject(new Error('no disk'));
    hold.open();
    await expect
      .poll(() => diagnostics)
      .toContainEqual({ code: 'delivery_failed', threadId: id, cause: new Error('no disk') });
    log.getThread = read;
    expect(await metric('singletree_errors_total{code="delivery_failed"}')).toHaveLength(1);
  });
});
