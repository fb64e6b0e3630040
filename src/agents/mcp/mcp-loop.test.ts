import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testProgram } from '../../../test/support/mcp.ts';
import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import { checkOrder } from '../../events/order.ts';
import type { HostParams } from '../contract/agent.ts';
import { loopAgent } from '../loop/loop-agent.ts';
import { scriptedModel } from '../model/scripted/scripted-model.ts';
import type { PermissionRuleSet } from '../contract/permissions.ts';
import { connectMcp } from './connect-mcp.ts';
import type { McpSource } from './mcp-source.ts';
import { runParams } from '../../../test/support/run-params.ts';

let source: McpSource;
beforeAll(async () => {
  source = await connectMcp(testProgram());
});
afterAll(() => source.close());

const rule = (policy: 'allow' | 'ask' | 'deny'): PermissionRuleSet => ({ rules: [{ category: 'mcp', policy }] });

async function run(permissions: PermissionRuleSet, input: unknown, host: HostParams = {}): Promise<AgentEvent[]> {
  const script = [[{ toolCall: { name: 'mcp__test__echo', input } }], 'Done.'];
  const agent = loopAgent({ model: scriptedModel(script), tools: source.tools(), permissions });
  const events: AgentEvent[] = [];
  for await (const event of agent.invoke(runParams({ host }))) events.push(event);
  return events;
}
const outputOf = (events: readonly AgentEvent[]) =>
  events.find((event): event is EventOf<'tool_result'> => event.type === 'tool_result')?.output;

describe('a tool of an MCP server in a run', () => {
  it('runs when the category mcp is allowed', async () => {
    const events = await run(rule('allow'), { text: 'hi' });
    expect(outputOf(events)).toEqual({ context: 'hi', result: 'hi' });
    expect(checkOrder(events)).toEqual([]);
  });

  it('is refused when the category mcp is denied', async () => {
    expect(outputOf(await run(rule('deny'), { text: 'hi' }))).toMatchObject({ status: 'denied' });
  });

  it('waits for a person when the category mcp requires asking', async () => {
    const answers = { wait: async (relayId: string) => ({ id: 'answer', relayId, outcome: 'approve' as const }) };
    const events = await run(rule('ask'), { text: 'hi' }, { answers });
    expect(events.filter(event => event.type === 'relay')).toMatchObject([
      { relayKind: 'permission', tool: 'mcp__test__echo', params: { text: 'hi' } },
    ]);
    expect(outputOf(events)).toEqual({ context: 'hi', result: 'hi' });
  });

  it('is not called with an input that is not an object', async () => {
    expect(outputOf(await run(rule('allow'), ['hi']))).toEqual({
      error: expect.stringMatching(/^The input is not valid: .*expected object/),
    });
  });

  it("passes the server's objection to the input to the model", async () => {
    expect(outputOf(await run(rule('allow'), { text: 5 }))).toEqual({
      error: expect.stringContaining('expected string'),
    });
  });
});
