import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { foldSpans } from '../src/protocols/otel/span-fold.ts';
import { command, Editor, select } from './acp/editor-scene.ts';
import { bareEnvironment } from './support/bare-environment.ts';
import { type Era, startMcpScene, useTool } from './support/mcp-clients.ts';
import { scriptedAgent } from './support/scripted-agent.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentSpanId = '00f067aa0ba902b7';
const traceparent = `00-${traceId}-${parentSpanId}-01`;

describe('the traceparent in the _meta of a request', () => {
  it.each<[string, Era]>([
    ['a channel', 'legacy'],
    ['HTTP', 'modern'],
  ])('is the parent of the run that an MCP client starts over %s (%s)', async (transport, era) => {
    const echo = scriptedAgent('echo', async function* ({ event }) {
      yield event('text', { id: 't', content: 'echo' });
    });
    const scene = await startMcpScene([echo]);
    try {
      const client = await (transport === 'HTTP' ? scene.overHttp(era) : scene.overChannel(era));
      const run = async (meta?: Record<string, unknown>) => {
        const input = { agent: 'echo', prompt: 'Go' };
        const { threadId } = await useTool(client, 'agent_run', input, meta && { meta });
        const events = await scene.log.read(String(threadId));
        return foldSpans(events, { threadId: String(threadId) }).find(({ name }) => name === 'invoke_agent echo');
      };
      expect(await run({ traceparent })).toMatchObject({ traceId, parentSpanId });
      const [own, other] = [await run(), await run({ traceparent: 'nonsense' })];
      expect([own?.parentSpanId, other?.parentSpanId]).toEqual([undefined, undefined]);
      expect([own?.traceId, other?.traceId]).not.toContain(traceId);
    } finally {
      await scene.close();
    }
  });

  it('is the parent of the run that a prompt of an editor starts', async () => {
    const home = mkdtempSync(join(tmpdir(), 'singletree-traces-'));
    const editor = await Editor.open({ home, cwd: home, args: ['demo'], permission: () => select('allow') });
    try {
      const send = async (_meta?: Record<string, unknown>) => {
        const sessionId = await editor.newSession();
        const prompt = [{ type: 'text', text: 'Say hello.' }];
        await editor.request('session/prompt', { sessionId, prompt, ...(_meta && { _meta }) });
        return sessionId;
      };
      const [traced, own] = [await send({ traceparent }), await send({ traceparent: 'nonsense' })];
      expect(await editor.close()).toBe(0);
      const readRun = async (threadId: string) => {
        const env = { ...bareEnvironment(), SINGLETREE_HOME: home };
        const args = [command, 'export', threadId, '--format', 'otlp'];
        const { stdout } = await promisify(execFile)(process.execPath, args, { env, cwd: home });
        const { resourceSpans } = JSON.parse(stdout) as {
          resourceSpans: { scopeSpans: { spans: { name: string; traceId: string; parentSpanId?: string }[] }[] }[];
        };
        const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(scope => scope.spans));
        return spans.find(({ name }) => name.startsWith('invoke_agent'));
      };
      expect(await readRun(traced)).toMatchObject({ traceId, parentSpanId });
      expect((await readRun(own))?.traceId).not.toBe(traceId);
    } finally {
      await editor.kill();
      rmSync(home, { recursive: true, force: true });
    }
  });
});
