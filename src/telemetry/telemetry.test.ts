import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { gate, scriptedAgent } from '../../test/support/scripted-agent.ts';
import { startReceiver, type TraceReceiver } from '../../test/support/trace-receiver.ts';
import type { Agent } from '../agents/contract/agent.ts';
import { currentTraceparent } from '../agents/trace-scope.ts';
import type { Diagnostic } from '../base/diagnostics.ts';
import { Supervisor } from '../control/supervision/supervisor.ts';
import type { StartOptions } from '../control/supervision/run-control.ts';
import { defined } from '../base/defined.ts';
import { MemoryLog } from '../log/memory-log.ts';
import { readEvents } from '../log/read-events.ts';
import { encodeSpan } from '../protocols/otel/otlp.ts';
import { foldSpans } from '../protocols/otel/span-fold.ts';
import { Telemetry, type TelemetryOptions } from './telemetry.ts';

const agent = scriptedAgent('worker', async function* ({ event }) {
  yield event('step_start', { step: 0, model: 'zai/glm' });
  yield event('text', { id: 'x', content: 'The password is hunter-two.' });
  yield event('tool_call', { id: 'c', name: 'bash', input: { command: 'ls' } });
  yield event('usage', { inputTokens: 3, outputTokens: 2 });
  yield event('tool_result', { id: 'c', name: 'bash', output: { context: 'ok' } });
});
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentSpanId = '00f067aa0ba902b7';

let log: MemoryLog;
let receiver: TraceReceiver;
let diagnostics: Diagnostic[];
const closing: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  log = new MemoryLog();
  diagnostics = [];
  receiver = await startReceiver();
  closing.push(receiver);
});
afterEach(async () => {
  for (const each of closing.splice(0)) await each.close();
});

function open(options: Partial<TelemetryOptions> = {}) {
  const onDiagnostic = (diagnostic: Diagnostic) => diagnostics.push(diagnostic);
  const telemetry = new Telemetry({ log, url: receiver.url, onDiagnostic, ...options });
  return { telemetry, supervisor: new Supervisor({ log, telemetry }) };
}

/** Runs the agent in a new thread to its end; returns the thread and the ids that an export finds in it later. */
async function runOnce(supervisor: Supervisor, options: Partial<StartOptions> = {}) {
  const { id: threadId } = await log.createThread();
  const run = await supervisor.start(threadId, { agent, content: 'Go.', ...options });
  expect(await run.done).toBe('complete');
  const events = [];
  for await (const event of readEvents(log, threadId)) events.push(event);
  return { threadId, stored: foldSpans(events, { threadId }) };
}

describe('the export of spans', () => {
  it('posts what an export of the stored thread has, with the headers and the source that were given', async () => {
    const { telemetry, supervisor } = open({
      headers: { authorization: 'Bearer key' },
      resource: { 'service.name': 'mine' },
    });
    const { stored } = await runOnce(supervisor);
    await supervisor.close();
    await telemetry.close();
    const [request] = receiver.requests;
    expect(request).toMatchObject({
      path: '/v1/traces',
      headers: { 'content-type': 'application/json', authorization: 'Bearer key' },
      resource: [{ key: 'service.name', value: { stringValue: 'mine' } }],
    });
    expect(receiver.spans).toEqual(stored.map(span => JSON.parse(encodeSpan(span)) as unknown));
    expect(receiver.spans.map(({ name }) => name)).toEqual(['chat glm', 'execute_tool bash', 'invoke_agent worker']);
    expect(telemetry.counts).toEqual({ sent: 3, dropped: 0, waiting: 0 });
    expect(JSON.stringify(receiver.spans)).not.toContain('password');
  });

  it('adds no span when the same thread is posted again later', async () => {
    const { telemetry, supervisor } = open({ compress: true });
    const { stored } = await runOnce(supervisor);
    await supervisor.close();
    await telemetry.close();
    const received = new Set(receiver.spans.map(span => `${span.traceId}/${span.spanId}`));
    expect(new Set([...received, ...stored.map(span => `${span.traceId}/${span.spanId}`)]).size).toBe(3);
  });

  it('posts content only when it is asked for, without secrets', async () => {
    const { telemetry, supervisor } = open({ content: true, secrets: ['hunter-two'] });
    await runOnce(supervisor);
    await supervisor.close();
    await telemetry.close();
    const text = JSON.stringify(receiver.spans);
    expect(text).toContain('The password is [redacted].');
    expect(text).not.toContain('hunter-two');
  });

  it('continues the trace of the caller, and passes it on to what the agent calls', async () => {
    const seen: (string | undefined)[] = [];
    const curious = scriptedAgent('curious', async function* ({ event }) {
      seen.push(currentTraceparent());
      yield event('text', { id: 'x', content: 'Hm.' });
    });
    const { telemetry, supervisor } = open();
    await runOnce(supervisor, { agent: curious, trace: { traceId, parentSpanId } });
    await runOnce(supervisor, { agent: curious });
    await runOnce(new Supervisor({ log }), { agent: curious });
    await telemetry.close();
    const [traced, own] = receiver.spans.filter(({ name }) => name === 'invoke_agent curious');
    expect(traced).toMatchObject({ traceId, parentSpanId });
    expect(own?.parentSpanId).toBeUndefined();
    expect(seen).toEqual([
      `00-${traceId}-${traced?.spanId}-01`,
      `00-${own?.traceId}-${own?.spanId}-01`,
      // Without an export and a caller's trace nothing is passed on.
      undefined,
    ]);
  });

  it('keeps the trace, and sends each span once, when another process takes the run over', async () => {
    const [hold, seen] = [gate(), [] as (string | undefined)[]];
    const patient: Agent = {
      id: 'patient',
      abilities: { resumable: true },
      async *invoke({ run: { runId, parentId, resume, signal } }) {
        seen.push(currentTraceparent());
        const call = { runId, id: resume === undefined ? 'one' : 'two', name: 'look' };
        if (resume === undefined) yield { type: 'harness_start', runId, agentId: 'patient', ...defined({ parentId }) };
        yield { type: 'tool_call', ...call, input: {} };
        yield { type: 'tool_result', ...call, output: { context: '' } };
        if (resume === undefined) hold.open();
        if (resume === undefined) await new Promise(resolve => signal.addEventListener('abort', resolve));
        yield { type: 'harness_end', runId, agentId: 'patient', reason: 'complete' };
      },
    };
    const first = open();
    const { id: threadId } = await log.createThread();
    await first.supervisor.start(threadId, { agent: patient, content: 'Go.', trace: { traceId, parentSpanId } });
    await hold.opened;
    await first.supervisor.close();
    await first.telemetry.close();
    const telemetry = new Telemetry({ log, url: receiver.url });
    const second = new Supervisor({ log, agents: [patient], telemetry });
    const { here } = await second.takeOver(threadId);
    await here[0]?.done;
    await second.close();
    await telemetry.close();
    expect(receiver.spans.map(({ name, traceId: trace }) => [name, trace])).toEqual([
      ['execute_tool look', traceId],
      ['execute_tool look', traceId],
      ['chat', traceId],
      ['invoke_agent patient', traceId],
    ]);
    expect(new Set(receiver.spans.map(({ spanId }) => spanId)).size).toBe(4);
    expect(seen).toEqual([`00-${traceId}-${receiver.spans[3]?.spanId}-01`, seen[0]]);
  });

  it('sends the share of traces that is asked for, and what the caller records', async () => {
    const { telemetry, supervisor } = open({ sampling: { ratio: 0 } });
    await runOnce(supervisor);
    await runOnce(supervisor, { trace: { traceId, parentSpanId, sampled: false } });
    await runOnce(supervisor, { trace: { traceId, parentSpanId } });
    await telemetry.close();
    expect(receiver.spans.filter(({ name }) => name === 'invoke_agent worker')).toHaveLength(1);
    expect(new Set(receiver.spans.map(span => span.traceId))).toEqual(new Set([traceId]));
  });

  it.each([
    ['refuses', 400, 1],
    ['is overloaded', 503, 5],
  ])('drops what a receiver that %s does not take, and counts it', async (_, status, requests) => {
    const clock = new ManualClock();
    const failing = await startReceiver(response => void response.writeHead(status).end('no'));
    closing.push(failing);
    const { telemetry, supervisor } = open({ url: failing.url, clock });
    await runOnce(supervisor);
    await expect.poll(() => telemetry.counts.waiting).toBe(3);
    clock.advance(1_000);
    await expect
      .poll(() => {
        clock.advance(60_000);
        return telemetry.counts;
      })
      .toEqual({ sent: 0, dropped: 3, waiting: 0 });
    expect(failing.requests).toHaveLength(requests);
    expect(diagnostics).toMatchObject([{ code: 'telemetry_dropped' }]);
    await telemetry.close();
  });

  it('waits as long as an overloaded receiver asks, then delivers', async () => {
    const clock = new ManualClock();
    const slow = await startReceiver((response, number) => {
      if (number === 1) response.writeHead(429, { 'retry-after': '20' }).end();
      else response.end('{}');
    });
    closing.push(slow);
    const { telemetry, supervisor } = open({ url: slow.url, clock });
    await runOnce(supervisor);
    await expect.poll(() => telemetry.counts.waiting).toBe(3);
    clock.advance(1_000);
    await expect.poll(() => clock.timers).toBe(1);
    clock.advance(19_999);
    expect(clock.timers).toBe(1);
    clock.advance(1);
    await expect.poll(() => telemetry.counts).toEqual({ sent: 3, dropped: 0, waiting: 0 });
    expect(slow.requests).toHaveLength(2);
    await telemetry.close();
  });

  it('counts spans that the receiver accepted the request without', async () => {
    const picky = await startReceiver(response => void response.end('{"partialSuccess":{"rejectedSpans":"2"}}'));
    closing.push(picky);
    const { telemetry, supervisor } = open({ url: picky.url });
    await runOnce(supervisor);
    await telemetry.close();
    expect(telemetry.counts).toEqual({ sent: 1, dropped: 2, waiting: 0 });
  });

  it('is not noticed by runs while the receiver never answers, and grows no further than its limit', async () => {
    const clock = new ManualClock();
    const silent = await startReceiver(() => {});
    closing.push(silent);
    const { telemetry, supervisor } = open({ url: silent.url, clock });
    const busy = scriptedAgent('busy', async function* ({ event }) {
      for (let call = 0; call < 3000; call++) {
        yield event('tool_call', { id: `${call}`, name: 'x', input: {} });
        yield event('tool_result', { id: `${call}`, name: 'x', output: { context: '' } });
      }
    });
    await runOnce(supervisor, { agent: busy });
    await expect.poll(() => telemetry.counts.waiting + telemetry.counts.dropped + 512).toBe(3002);
    expect(telemetry.counts.waiting).toBe(2048);
    const closed = telemetry.close();
    await expect
      .poll(() => {
        clock.advance(3_000);
        return telemetry.counts;
      })
      .toEqual({ sent: 0, dropped: 3002, waiting: 0 });
    await closed;
    expect(silent.requests).toHaveLength(1);
  });

  it('is not noticed by runs while nothing listens at the address', async () => {
    const gone = await startReceiver();
    await gone.close();
    const { telemetry, supervisor } = open({ url: gone.url });
    await runOnce(supervisor);
    await telemetry.close();
    expect(telemetry.counts).toEqual({ sent: 0, dropped: 3, waiting: 0 });
  });
});
