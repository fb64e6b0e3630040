import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../events/vocabulary.ts';
import type { Message } from '../../../projections/message.ts';
import { loopAgent } from '../../loop/loop-agent.ts';
import { modelAgent } from './model-agent.ts';
import { scriptedModel } from '../scripted/scripted-model.ts';

const asked: Message = { role: 'user', content: 'Count to three.' };
const begun: Message = { role: 'assistant', content: [{ type: 'text', text: 'One, two,' }] };

/** Runs an agent with a model that carries the name of a provider. */
async function run(provider: string, messages: readonly Message[], agent: 'model' | 'loop' = 'model') {
  const scripted = scriptedModel(['three.']);
  const model = { ...scripted, provider };
  const made = agent === 'model' ? modelAgent(model) : loopAgent({ model });
  const events: AgentEvent[] = [];
  const signal = new AbortController().signal;
  for await (const event of made.invoke({ run: { runId: 'run', signal }, conversation: { messages } }))
    events.push(event);
  return { sent: scripted.requests, error: events.find(event => event.type === 'error'), end: events.at(-1) };
}

describe('a conversation that ends with the assistant', () => {
  it.each(['anthropic.messages', 'openai.chat', 'local'])('is sent to %s as it is', async provider => {
    for (const agent of ['model', 'loop'] as const) {
      const { sent, error } = await run(provider, [asked, begun], agent);
      expect(error).toBeUndefined();
      expect(sent.map(({ messages }) => messages.map(({ role, text }) => [role, text]))).toEqual([
        [
          ['user', 'Count to three.'],
          ['assistant', 'One, two,'],
        ],
      ]);
    }
  });

  it('is refused before the request where the provider does not accept it', async () => {
    const { sent, error, end } = await run('google.generative-ai', [asked, begun]);
    expect(sent).toEqual([]);
    expect(error).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(/ends with .*Send a user/) as string,
    });
    expect(end).toMatchObject({ reason: 'error' });
  });
});

describe('a conversation that begins with the assistant', () => {
  it('is sent as it is where the provider accepts it', async () => {
    const { sent, error } = await run('openai.chat', [begun, asked]);
    expect([error, sent[0]?.messages.map(({ role }) => role)]).toEqual([undefined, ['assistant', 'user']]);
  });

  it('is refused before the request where the provider does not accept it', async () => {
    for (const agent of ['model', 'loop'] as const) {
      const { sent, error } = await run('anthropic.messages', [begun, asked], agent);
      expect(sent).toEqual([]);
      expect(error).toMatchObject({ code: 'invalid_argument', fatal: true });
    }
  });
});
