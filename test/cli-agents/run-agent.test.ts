import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/agents/redaction/redactor.ts';
import { cliAgent } from '../../src/agents/cli/agent/cli-agent.ts';
import type { CliAgentOptions } from '../../src/agents/cli/agent/cli-agent-options.ts';
import type { RunnableAgent } from '../../src/cli/agents/runnable-agent.ts';
import { type RunRequest, type RunWatcher, runAgent } from '../../src/cli/run/run-agent.ts';
import { createGraph, reduceEvent } from '../../src/graph/index.ts';
import { MemoryLog } from '../../src/log/index.ts';
import type { Activity } from '../../src/projections/index.ts';
import { fakeProgram } from './support/fake-program.ts';

const executable = fakeProgram();
const home = mkdtempSync(join(tmpdir(), 'singletree-run-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

type Scene = Partial<RunRequest> & { readonly options?: CliAgentOptions };

async function run(prompt: string, { options, ...request }: Scene = {}, watcher: RunWatcher = {}) {
  const agent: RunnableAgent = {
    id: 'codex',
    isInteractive: false,
    advice: '',
    create: onRaw =>
      cliAgent('codex', { executable, settleMs: 50, stopStepMs: 50, channel: 'print', ...options, onRaw }),
    close: async () => {},
  };
  const log = request.log ?? new MemoryLog();
  const report = await runAgent(
    {
      log,
      redactor: createRedactor([]),
      agent,
      cwd: process.cwd(),
      prompt,
      folderOf: runId => join(home, runId),
      signal: new AbortController().signal,
      hasPerson: false,
      ...request,
    },
    watcher,
  );
  return { log, report };
}

const jsonl = (folder: string, name: string) =>
  readFileSync(join(folder, name), 'utf8')
    .split('\n')
    .flatMap(line => (line === '' ? [] : [JSON.parse(line) as Record<string, string>]));

describe('running an external agent', () => {
  it('makes a conversation of it, with its raw lines, and a record', async () => {
    const seen: Activity[] = [];
    const { log, report } = await run('hello', {}, { activity: async activity => void seen.push(activity) });
    expect(report).toMatchObject({ outcome: 'complete', totals: { usage: { inputTokens: 5, outputTokens: 7 } } });
    expect(seen).toMatchObject([{ type: 'agent', message: 'hello', sessionId: 's-1' }]);
    const events = await log.read(report.threadId);
    const graph = events.reduce(reduceEvent, createGraph());
    expect([...graph.nodes.values()].map(node => node.kind)).toEqual([
      'user',
      'harness_start',
      'text',
      'usage',
      'harness_end',
    ]);
    expect(readdirSync(report.folder).toSorted()).toEqual(['events.jsonl', 'log.jsonl', 'raw.jsonl', 'run.json']);
    expect(jsonl(report.folder, 'log.jsonl')).toEqual(JSON.parse(JSON.stringify(events)));
    expect(jsonl(report.folder, 'events.jsonl')).toEqual(JSON.parse(JSON.stringify(seen)));
    const runId = events.at(-1)?.runId as string;
    const raw = await log.readRaw(report.threadId, runId);
    expect(jsonl(report.folder, 'raw.jsonl').map(line => line['line'])).toEqual(
      raw.map(({ line }) => Buffer.from(line).toString()),
    );
    expect(JSON.parse(readFileSync(join(report.folder, 'run.json'), 'utf8'))).toMatchObject({
      outcome: 'complete',
      agent: 'codex',
      prompt: 'hello',
    });
  });

  it('shows the record of a tool that is not understood', async () => {
    const seen: Activity[] = [];
    await run('mcp', {}, { activity: async activity => void seen.push(activity) });
    expect(seen).toMatchObject([{ type: 'unknown', raw: { type: 'item.completed', item: { status: 'failed' } } }]);
  });

  it('continues a thread in the session of the agent', async () => {
    const { log, report } = await run('hello');
    const { report: second } = await run('args', { log, threadId: report.threadId });
    const events = await log.read(second.threadId);
    expect(events.findLast(event => event.type === 'text')).toMatchObject({
      content: expect.stringContaining('"resume","s-1"') as string,
    });
    await expect(run('hello', { log, threadId: 'nowhere' })).rejects.toMatchObject({ code: 'thread_not_found' });
  });

  it.each([
    ['crash', {}, 'error'],
    ['hang', { timeoutMs: 300 }, 'timeout'],
  ] as const)('keeps the record of one that ends by %s', async (prompt, options, outcome) => {
    const { report } = await run(prompt, { options });
    expect(report.outcome).toBe(outcome);
    expect(JSON.parse(readFileSync(join(report.folder, 'run.json'), 'utf8'))).toMatchObject({
      outcome,
      error: expect.any(String) as string,
    });
  });

  it('shows a message before the program goes on or ends', async () => {
    const stop = new AbortController();
    const activity = async ({ type }: Activity) => void (type === 'agent' && stop.abort());
    expect((await run('hang', { signal: stop.signal }, { activity })).report.outcome).toBe('aborted');
  });

  it('stops when it is interrupted, and keeps the record', async () => {
    const stop = new AbortController();
    const { report } = await run(
      'hang',
      { signal: stop.signal },
      { activity: async () => {}, event: async ({ type }) => void (type === 'text' && stop.abort()) },
    );
    expect(report.outcome).toBe('aborted');
    expect(jsonl(report.folder, 'log.jsonl').at(-1)).toMatchObject({ type: 'harness_end', reason: 'aborted' });
  });
});
