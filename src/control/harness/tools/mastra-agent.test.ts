import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { calls, sent, watch, yolo } from '../../../../test/harness/scene.ts';
import { scriptByStep, type ModelScript } from '../../../agents/model/scripted/script.ts';
import { scriptedModel } from '../../../agents/model/scripted/scripted-model.ts';
import { Harness } from '../harness.ts';
import type { HarnessConfig } from '../harness-config.ts';
import { RequestContext } from './request-context.ts';
import { type MastraAgent, mastraAgent, mastraTools } from './mastra-agent.ts';

interface Request {
  readonly requestContext: { get(key: string): unknown };
}

/** A tool in the form of `createTool`. */
const weather = {
  id: 'weather',
  description: 'reports the weather',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }: { city: string }, context: { requestContext?: Request['requestContext'] }) => ({
    city,
    user: context.requestContext?.get('user'),
  }),
};

function harnessWith(script: ModelScript, agent: Partial<MastraAgent> = {}, more: Partial<HarnessConfig> = {}) {
  const model = scriptedModel(script);
  const written: MastraAgent = {
    id: 'forecaster',
    getInstructions: ({ requestContext }: Request) => `Help ${String(requestContext.get('user'))}.`,
    listTools: async () => ({ weather }),
    getModel: () => model,
    ...agent,
  };
  const harness = new Harness({ id: 'h', modes: [{ id: 'main', agent: mastraAgent(written) }], ...yolo, ...more });
  return { model, ...watch(harness) };
}

const asked = scriptByStep([[calls('weather', { city: 'Bergen' })], 'Rain.']);

describe('an agent written for Mastra', () => {
  it('runs with its instructions, tools and model, resolved with the request context', async () => {
    const { harness, model, of } = harnessWith(asked);
    await harness.sendMessage({ content: 'Go.', requestContext: new RequestContext([['user', 'ada']]) });
    expect(sent(model, 0)).toEqual(['system: Help ada.', 'user: Go.']);
    expect(model.requests[0]?.toolNames).toContain('weather');
    expect(of('tool_end')).toMatchObject([{ result: { city: 'Bergen', user: 'ada' }, isError: false }]);
    expect(of('agent_end')).toMatchObject([{ reason: 'complete' }]);
  });

  it.each([
    ['a list', ['One.', { role: 'system', content: 'Two.' }], 'system: One.\n\nTwo.'],
    ['a system message', { role: 'system', content: 'One.' }, 'system: One.'],
  ])('may have instructions that are %s', async (_, instructions, expected) => {
    const { harness, model } = harnessWith(['Hi.'], { getInstructions: () => instructions });
    await harness.sendMessage({ content: 'Go.' });
    expect(sent(model, 0)[0]).toBe(expected);
  });

  it('takes at most its maxSteps, and ends when its stopWhen is true', async () => {
    const again = ({ step }: { step: number }) => [calls('weather', { city: 'Bergen' }, `c${step}`)];
    const limited = harnessWith(again, { getDefaultOptions: () => ({ maxSteps: 2 }) });
    await limited.harness.sendMessage({ content: 'Go.' });
    expect(limited.model.requests).toHaveLength(2);
    const stopWhen = ({ steps }: { steps: readonly unknown[] }) => steps.length === 3;
    const stopped = harnessWith(again, { getDefaultOptions: () => ({ stopWhen }) });
    await stopped.harness.sendMessage({ content: 'Go.' });
    expect(stopped.model.requests).toHaveLength(3);
  });

  it('asks before it runs a tool, unless the rules of the harness allow it', async () => {
    const { harness, on, of } = harnessWith(asked, {}, { initialState: {} });
    const sending = harness.sendMessage({ content: 'Go.' });
    expect(await on('tool_approval_required')).toMatchObject({ toolName: 'weather' });
    harness.respondToToolApproval({ decision: 'decline' });
    await sending;
    expect(of('tool_end')).toMatchObject([{ result: 'Tool call was not approved by the user' }]);
  });

  it('ends its run with an error when it cannot be resolved', async () => {
    const { harness, of } = harnessWith(['Hi.'], {
      getInstructions: () => Promise.reject(new Error('no instructions today')),
    });
    await harness.sendMessage({ content: 'Go.' });
    expect(of('error').map(({ error }) => error.message)).toEqual(['no instructions today']);
    expect(of('agent_end')).toMatchObject([{ reason: 'error' }]);
  });

  it('is refused when it is something else', () => {
    expect(() => mastraAgent({} as MastraAgent)).toThrow('an agent of Mastra');
  });
});

describe('tools written for Mastra', () => {
  it('suspend and resume their call', async () => {
    const pay = {
      description: 'pays',
      execute: async (
        _: unknown,
        { agent }: { agent?: { suspend?: (why: unknown) => Promise<void>; resumeData?: unknown } },
      ) => (agent?.resumeData === undefined ? agent?.suspend?.({ need: 'code' }) : { paid: agent.resumeData }),
    };
    const { harness, on, of } = harnessWith(
      scriptByStep([[calls('pay')], 'Done.']),
      { getInstructions: () => '' },
      { tools: mastraTools({ pay }) },
    );
    const sending = harness.sendMessage({ content: 'Go.' });
    expect(await on('tool_suspended')).toMatchObject({ suspendPayload: { need: 'code' } });
    await harness.respondToToolSuspension({ resumeData: 7 });
    await sending;
    await on('agent_end', 2);
    expect(of('tool_end')).toMatchObject([{ result: { paid: 7 } }]);
  });

  it('are refused by name when they have no function to execute', () => {
    expect(() => mastraTools({ search: { id: 'search' } })).toThrow(
      expect.objectContaining({
        code: 'invalid_argument',
        message: expect.stringContaining('The tool "search" has no `execute`') as string,
      }) as Error,
    );
  });
});
