import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../events/vocabulary.ts';
import type { Message } from '../../../projections/message.ts';
import { toInvokeParams } from '../../contract/invoke-params.ts';
import { scriptedModel } from '../../model/scripted/scripted-model.ts';
import { countTokens } from '../../model/tokens/tokens.ts';
import { fitConversation, type HandOverCompaction } from './fit-history.ts';

const long = (word: string, count: number) => `${word} `.repeat(count);
const turn = (n: number, words: number): Message[] => [
  { role: 'user', content: `Ask ${n}` },
  { role: 'assistant', content: [{ type: 'tool_call', id: `c${n}`, name: 'read', input: { path: `f${n}` } }] },
  {
    role: 'tool',
    content: [{ type: 'tool_result', id: `c${n}`, name: 'read', output: { context: long(`w${n}`, words) } }],
  },
  { role: 'assistant', content: [{ type: 'text', text: `Answer ${n}` }] },
];
const request: Message = { role: 'user', content: 'Now?' };

async function fit(messages: readonly Message[], compaction: HandOverCompaction, model?: string) {
  const events: AgentEvent[] = [];
  const conversation = { messages, firstMessageId: 'first:user', previousMessageId: 'last' };
  const params = toInvokeParams({ run: { runId: 'run' }, conversation });
  const adapter = { name: 'Codex', prices: 'openai' };
  const put = async (event: AgentEvent) => void events.push(event);
  return { fitted: await fitConversation({ adapter, compaction, model, params, put }), events };
}

describe('a conversation that is handed over', () => {
  it('stays as it is when the window of the model has room for it', async () => {
    const messages = [...turn(1, 100), request];
    const { fitted, events } = await fit(messages, {}, 'gpt-5');
    expect(fitted).toBe(messages);
    expect(events).toEqual([]);
  });

  it('begins with a summary when it is too long, and a warning says so', async () => {
    const model = scriptedModel(() => 'What happened.');
    const { fitted, events } = await fit([...turn(1, 500), ...turn(2, 500), request], { threshold: 800, model });
    expect(fitted).toHaveLength(1);
    expect(JSON.stringify(fitted)).toMatch(/Ask 1.*Ask 2.*What happened\..*Now\?/);
    expect(events.map(({ type }) => type)).toEqual(['model_context', 'usage', 'summary', 'warning']);
    expect(events.find(({ type }) => type === 'usage')?.agentId).toBe('compaction');
    expect(events.find(({ type }) => type === 'summary')).toMatchObject({ covers: { from: 'first:user', to: 'last' } });
    expect(events.at(-1)).toMatchObject({
      code: 'conversation_condensed',
      message: expect.stringMatching(/about 2,\d+ tokens, more than the 800 that Codex gets: a summary/) as string,
    });
  });

  it('loses its older answers when no model can write a summary, but no word of a person', async () => {
    const messages = [...turn(1, 900), ...turn(2, 900), ...turn(3, 200), request];
    const { fitted, events } = await fit(messages, { threshold: 1_000, model: async () => undefined });
    expect(await countTokens(fitted)).toBeLessThan(1_000);
    expect(JSON.stringify(fitted[0])).toMatch(/Ask 1.*Ask 2/);
    expect(fitted.slice(1)).toEqual([...turn(3, 200), request]);
    expect(events).toMatchObject([{ type: 'warning', message: expect.stringContaining('left out') as string }]);
  });

  it('loses the middle of long outputs first', async () => {
    const messages = [...turn(1, 40_000), request];
    const { fitted } = await fit(messages, { threshold: 30_000 });
    expect(fitted).toHaveLength(messages.length);
    expect(await countTokens(fitted)).toBeLessThan(30_000);
  });

  it('loses its older answers when the summary fails, and both are said', async () => {
    const model = scriptedModel([{ httpStatus: 400, message: 'No credit.' }]);
    const { fitted, events } = await fit([...turn(1, 900), request], { threshold: 800, model });
    expect(await countTokens(fitted)).toBeLessThan(800);
    expect(events.flatMap(event => (event.type === 'warning' ? [event.code] : []))).toEqual([
      'compaction_failed',
      'conversation_condensed',
    ]);
  });
});
