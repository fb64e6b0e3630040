import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentEvent } from '../events/vocabulary.ts';
import type { ContentPart } from '../events/content.ts';
import { loopAgent } from './loop/loop-agent.ts';
import { defineTool } from './tool-definition/define-tool.ts';
import { modelAgent } from './model/call/model-agent.ts';
import { scriptedModel } from './model/scripted/scripted-model.ts';
import { createOrchestrator } from './orchestrator.ts';
import { unfrozenEvents } from './frozen-events.ts';

const messages = [{ role: 'user' as const, content: 'Go.' }];

/** An agent whose model calls a tool twice; the tool records its input and then changes it. */
function setUp() {
  const model = scriptedModel([
    { toolCall: { name: 'pay', input: { to: { account: 'CH93' } } } },
    { toolCall: { name: 'pay', input: { to: { account: 'CH94' } } } },
    'Done.',
  ]);
  const paid: string[] = [];
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: z.any(),
    execute: (input: { to: { account: string } }) => {
      paid.push(input.to.account);
      input.to.account = 'changed';
      return 'Paid.';
    },
  });
  return { agent: loopAgent({ model, tools: [pay], permissions: { default: 'allow', rules: [] } }), model, paid };
}

function mask(event: AgentEvent): void {
  if (event.type === 'tool_call') (event.input as { to: { account: string } }).to.account = '****';
}

async function readAll(events: AsyncIterable<AgentEvent>, onEvent: (event: AgentEvent) => void): Promise<void> {
  for await (const event of events) onEvent(event);
}

describe('the events that invoke hands out', () => {
  it('cannot be changed', async () => {
    const { agent, paid } = setUp();
    await readAll(agent.invoke({ conversation: { messages } }), event => {
      if (event.type === 'tool_call') expect(() => mask(event)).toThrow(TypeError);
      if (event.type === 'harness_end') expect(Object.isFrozen(event)).toBe(true);
    });
    expect(paid).toEqual(['CH93', 'CH94']);
    await readAll(modelAgent(scriptedModel(['Hello.'])).invoke({ conversation: { messages } }), event => {
      if (event.type !== 'text') expect(Object.isFrozen(event)).toBe(true);
    });
  });

  it('are frozen for readers of an orchestrator too, without the objects of the caller', async () => {
    const { agent, paid } = setUp();
    const part: ContentPart = { type: 'text', text: 'Go.' };
    const orchestrator = createOrchestrator();
    orchestrator.spawn(agent, { conversation: { messages: [{ role: 'user', content: [part] }] } });
    await readAll(orchestrator.events(), event => {
      if (event.type === 'tool_call') expect(() => mask(event)).toThrow(TypeError);
      if (event.type !== 'text' && event.type !== 'tool_input_delta') expect(Object.isFrozen(event)).toBe(true);
    });
    expect([paid, Object.isFrozen(part)]).toEqual([['CH93', 'CH94'], false]);
  });

  it('are not frozen for a reader that copies them', async () => {
    const { agent } = setUp();
    await readAll(unfrozenEvents(agent.invoke({ conversation: { messages } })), event =>
      expect(Object.isFrozen(event)).toBe(false),
    );
  });

  it('end the run when the reader stops early', async () => {
    const { agent, paid } = setUp();
    for await (const event of agent.invoke({ conversation: { messages } })) if (event.type === 'tool_result') break;
    expect(paid).toEqual(['CH93']);
  });
});

describe('the input of a tool', () => {
  it('is a copy: a tool that changes it does not change what the model is sent', async () => {
    const { agent, model, paid } = setUp();
    await readAll(unfrozenEvents(agent.invoke({ conversation: { messages } })), () => {});
    expect(paid).toEqual(['CH93', 'CH94']);
    expect(JSON.stringify(model.requests)).not.toContain('changed');
  });
});

describe('a tool that returns only a context', () => {
  it('has it as its result, too', async () => {
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      input: z.object({}),
      execute: () => ({ context: 'x' }),
    });
    const model = scriptedModel([{ toolCall: { name: 'look', input: {} } }, 'Done.']);
    const outputs: unknown[] = [];
    const agent = loopAgent({ model, tools: [look], permissions: { default: 'allow', rules: [] } });
    await readAll(agent.invoke({ conversation: { messages } }), event => {
      if (event.type === 'tool_result') outputs.push(event.output);
    });
    expect(outputs).toEqual([{ context: 'x', result: 'x' }]);
  });
});
