import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findTrace } from '../src/events/trace-context.ts';
import { type ScriptedServer, startScriptedServer } from '../src/testing/index.ts';
import { fakeProgram } from './cli-agents/support/fake-program.ts';
import { bareEnvironment } from './support/bare-environment.ts';
import { scriptedAgent } from './support/scripted-agent.ts';
import { startTestServer } from './support/test-server.ts';
import { type ReceivedSpan, startReceiver, type TraceReceiver } from './support/trace-receiver.ts';

const command = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'singletree-telemetry-'));
const PATH = `${dirname(fakeProgram())}:${process.env['PATH']}`;
afterAll(() => rmSync(home, { recursive: true, force: true }));

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentSpanId = '00f067aa0ba902b7';

let receiver: TraceReceiver;
let model: ScriptedServer | undefined;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await receiver.close();
  await model?.close();
  model = undefined;
});

/** Runs the built command while this process serves it. */
function singletree(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const env = {
    ...bareEnvironment(),
    PATH,
    SINGLETREE_HOME: home,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url.replace('/v1/traces', ''),
    ...variables,
  };
  return new Promise<{ status: number; stdout: string; stderr: string }>(resolve => {
    execFile(process.execPath, [command, ...args], { env, cwd: home, timeout: 20_000 }, (error, stdout, stderr) =>
      resolve({ status: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr }),
    );
  });
}

const idOf = (span: ReceivedSpan) => `${span.traceId}/${span.spanId}`;

describe('a command with the variables of OpenTelemetry', () => {
  it('exports the run in the trace of its caller, and passes the trace on to the program', async () => {
    const TRACEPARENT = `00-${traceId}-${parentSpanId}-01`;
    const { status, stdout } = await singletree(['run', 'codex', 'env'], { TRACEPARENT });
    expect(status).toBe(0);
    const run = receiver.spans.find(({ name }) => name === 'invoke_agent codex');
    expect(run).toMatchObject({ traceId, parentSpanId });
    expect(JSON.parse(stdout)).toMatchObject({ TRACEPARENT: `00-${traceId}-${run?.spanId}-01` });
  });

  it('writes the same spans later, so that posting them again adds none', async () => {
    await singletree(['run', 'codex', 'hello']);
    const live = new Map(receiver.spans.map(span => [idOf(span), span]));
    const { stdout } = await singletree(['export', 'last', '--format', 'otlp']);
    await fetch(receiver.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: stdout });
    const later = receiver.requests.at(-1)?.spans ?? [];
    expect(live.size).toBeGreaterThan(1);
    expect(new Map(later.map(span => [idOf(span), span]))).toEqual(live);
    expect(new Set(receiver.spans.map(idOf)).size).toBe(live.size);
  });

  it('sends the trace to the model and to the commands of its own agent', async () => {
    const look = [{ toolCall: { name: 'bash', input: { command: 'echo "[$TRACEPARENT]"' } } }];
    model = await startScriptedServer({
      script: ({ messages }) => (messages.some(({ role }) => role === 'tool') ? 'Done.' : look),
    });
    const keys = { ANTHROPIC_API_KEY: 'key-of-a-model', ANTHROPIC_BASE_URL: model.url };
    const run = await singletree(['run', 'coder', 'Look.', '--yolo', '--model', 'anthropic/claude-sonnet-5'], keys);
    expect(run).toMatchObject({ status: 0 });
    const root = receiver.spans.find(({ name }) => name === 'invoke_agent coder');
    const traceparent = `00-${root?.traceId}-${root?.spanId}-01`;
    expect(model.requests.map(({ headers }) => headers['traceparent'])).toEqual([traceparent, traceparent]);
    const { stdout } = await singletree(['export', 'last']);
    expect(stdout).toContain(`[${traceparent}]`);
  });

  it('names its caller to the server that it sends a message to', async () => {
    const server = await startTestServer([scriptedAgent('worker', async function* () {})]);
    const { id } = await server.log.createThread();
    const variables = { TRACEPARENT: `00-${traceId}-${parentSpanId}-01` };
    const { status } = await singletree(['send', id, 'Hi.', '--server', server.url], variables);
    const events = await server.log.read(id);
    await server.close();
    expect(status).toBe(0);
    expect(findTrace(events)).toEqual({ traceId, parentSpanId });
  });

  it('ends as always when nothing answers at the address', async () => {
    const gone = await startReceiver();
    await gone.close();
    const { status, stdout, stderr } = await singletree(['run', 'codex', 'hello', '--verbose'], {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: gone.url,
    });
    expect([status, stdout.trim()]).toEqual([0, 'hello']);
    expect(stderr).toContain('telemetry_dropped');
  });

  it('refuses invalid variables, and options of spans for other formats, with exit code 2', async () => {
    const { status, stderr } = await singletree(['run', 'codex', 'hello'], { OTEL_TRACES_SAMPLER: 'sometimes' });
    expect([status, stderr]).toEqual([2, expect.stringContaining('OTEL_TRACES_SAMPLER is invalid')]);
    const other = await singletree(['export', 'last', '--content']);
    expect([other.status, other.stderr]).toEqual([2, expect.stringContaining('Use them with --format otlp')]);
  });
});
