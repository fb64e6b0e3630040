import * as fc from 'fast-check';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mcpTools } from '../../src/server/mcp/mcp-tools.ts';
import { type McpScene, startMcpScene } from '../support/mcp-clients.ts';
import { lawRuns } from '../support/run-size.ts';
import { scriptedAgent } from '../support/scripted-agent.ts';

const secret = 'sk-secret-of-the-fuzz';
const asker = scriptedAgent('asker', async function* ({ event, answer, params }) {
  const id = `${params.run.runId}/ask`;
  yield event('text', { id: 't', content: `I know ${secret}` });
  yield event('relay', { id, relayKind: 'permission', toolCallId: 'c', tool: 'shell', params: { secret } });
  await answer(id);
});
const failures: unknown[] = [];
let scene: McpScene;
let clients: Client[];
let foreign: string;
beforeAll(async () => {
  const tokens = [
    { token: 'token-of-ann', name: 'ann', resourceId: 'ann' },
    { token: 'token-of-bob', name: 'bob', resourceId: 'bob' },
  ];
  const onFailure = (error: unknown) => void failures.push(error);
  scene = await startMcpScene([asker], { tokens, onFailure, secrets: [secret] });
  foreign = (await scene.log.createThread({ resourceId: 'bob', title: 'periwinkle of bob' })).id;
  await scene.log.append(foreign, [{ type: 'user', runId: 'r', content: 'periwinkle of bob' }]);
  clients = [
    await scene.overHttp('modern', { token: 'token-of-ann' }),
    await scene.overHttp('legacy', { token: 'token-of-ann' }),
  ];
});
afterAll(() => scene.close());

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('../../etc/passwd', '__proto__', 'periwinkle', '', '\0', 'a'.repeat(5_000), 'asker', 'events'),
  fc.constantFrom(0, -1, 1, 50, 2 ** 53, Number.MAX_SAFE_INTEGER, 0.5, true, null),
  fc.array(fc.string(), { maxLength: 3 }),
  fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }),
);
const names = Object.keys(mcpTools) as (keyof typeof mcpTools)[];
const call = fc.record({
  tool: fc.constantFrom(...names),
  values: fc.array(hostile, { minLength: 8, maxLength: 8 }),
  kept: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
  isForeign: fc.boolean(),
  extra: fc.option(fc.string({ maxLength: 10 }), { freq: 8, nil: undefined }),
  meta: fc.option(
    fc.dictionary(fc.constantFrom('threadId', 'sessionId', 'claudecode/toolUseId', 'x-codex-turn-metadata'), hostile),
    { nil: undefined },
  ),
});

describe('hostile calls', () => {
  it('get a result or a clear error, never a secret, a thread of others or a failure of the server', async () => {
    await fc.assert(
      fc.asyncProperty(call, fc.nat(), async ({ tool, values, kept, isForeign, extra, meta }, at) => {
        const input: Record<string, unknown> = {};
        for (const [index, field] of Object.keys(mcpTools[tool].input.shape).entries())
          if (kept[index]) input[field] = field === 'threadId' && isForeign ? foreign : values[index];
        if ('wait' in mcpTools[tool].input.shape) input['wait'] = 0;
        if (extra !== undefined) input[extra] = 1;
        const client = clients[at % clients.length] as Client;
        const asked = client.callTool({ name: tool, arguments: input, ...(meta && { _meta: meta }) });
        const answer = await asked.catch((error: Error) => ({ isError: true, message: error.message }));
        const text = JSON.stringify(answer);
        expect(text).not.toContain(secret);
        expect(text).not.toContain('of bob');
        expect(text).not.toMatch(/\(internal\)|at .*\.ts:\d+/);
        if (answer.isError === true)
          expect(text).toMatch(/\([a-z_]+\)|Invalid arguments|Input validation|-3260\d|Invalid/);
      }),
      { numRuns: lawRuns(300) },
    );
    expect(failures).toEqual([]);
    expect(scene.control.running().length).toBeLessThanOrEqual(8);
    expect((await scene.log.getThread(foreign))?.seq).toBe(1);
  });
});
