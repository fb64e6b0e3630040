import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Supervisor } from '../../control/supervision/supervisor.ts';
import { readConversation } from '../../control/threads/thread-memory.ts';
import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import { checkOrder } from '../../events/order.ts';
import { activeUpTo } from '../../graph/conversation/active.ts';
import { createConversation, reduceConversation } from '../../graph/conversation/conversation.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { projectMessages } from '../../projections/model-input/project-messages.ts';
import { compactionMessage } from '../../projections/model-input/summary-messages.ts';
import type { ScriptedRequest } from '../model/scripted/scripted-request.ts';
import { scriptedModel } from '../model/scripted/scripted-model.ts';
import type { ScriptedTurn } from '../model/scripted/script.ts';
import { countTokens } from '../model/tokens/tokens.ts';
import { loopAgent } from '../loop/loop-agent.ts';
import type { LoopAgentOptions } from '../loop/loop-agent-options.ts';
import { defineTool } from '../loop/tool.ts';

const read = defineTool({
  name: 'read',
  description: 'reads a page',
  input: z.object({ page: z.number() }),
  execute: ({ page }) => `page ${page}: ${'lorem ipsum '.repeat(200)}`,
});
const summaryText = (text: string) => compactionMessage(text).content;
const isSummary = (request: ScriptedRequest) => request.lastUserText.startsWith('Summarise');
const sentOf = (request: ScriptedRequest) => request.messages.map(({ role, text }) => `${role} ${text}`);

/** Reads ten pages, one in each step, and summarises when asked to. */
function reader(options: Partial<LoopAgentOptions> = {}, summary: ScriptedTurn = 'the pages so far') {
  const requests: ScriptedRequest[] = [];
  const model = scriptedModel(request => {
    void request.messages;
    requests.push(request);
    if (isSummary(request)) return summary;
    const page = requests.filter(seen => !isSummary(seen)).length;
    return page > 10 ? 'All read.' : [{ toolCall: { id: `c${page}`, name: 'read', input: { page } } }];
  });
  const agent = loopAgent({
    model,
    tools: [read],
    permissions: { default: 'allow', rules: [] },
    compaction: { threshold: 1_000, keep: 300 },
    ...options,
  });
  return { agent, requests };
}

async function runOn(agent: ReturnType<typeof loopAgent>, ...prompts: string[]) {
  const log = new MemoryLog();
  const { id: threadId } = await log.createThread();
  const supervisor = new Supervisor({ log });
  for (const content of prompts)
    expect(await (await supervisor.start(threadId, { agent, content })).done).toBe('complete');
  const events = await log.read(threadId);
  expect(checkOrder(events)).toEqual([]);
  return { log, threadId, events };
}
const of = <Type extends AgentEvent['type']>(events: readonly AgentEvent[], type: Type) =>
  events.filter((event): event is EventOf<Type> => event.type === type);

describe('compaction', () => {
  it('keeps requests short; the source stays in the log', async () => {
    const { agent, requests } = reader();
    const { events } = await runOn(agent, 'Read all pages');
    const summaries = of(events, 'summary');
    expect(summaries.length).toBeGreaterThan(2);
    expect(of(events, 'tool_result')).toHaveLength(10);
    const sizes = await Promise.all(
      requests.filter(request => !isSummary(request)).map(request => countTokens(request.messages.map(asMessage))),
    );
    expect(Math.max(...sizes)).toBeLessThan(1_000);
    expect(sentOf(requests.at(-1) as ScriptedRequest)[0]).toBe(`user ${summaryText('the pages so far')}`);
  });

  it("sends what the log's conversation yields: the summary and the newest turns, whole", async () => {
    const { agent, requests } = reader();
    const { events } = await runOn(agent, 'Read all pages');
    const until = events.slice(
      0,
      events.findLastIndex(event => event.type === 'step_start'),
    );
    const conversation = until.reduce(reduceConversation, createConversation());
    const run = of(events, 'harness_start')[0]?.runId as string;
    const given = projectMessages(conversation, activeUpTo(conversation, run)).map(message =>
      message.role === 'tool'
        ? message.content.map(part => ('context' in part.output ? part.output.context : ''))
        : message.role,
    );
    const last = requests.at(-1) as ScriptedRequest;
    const sent = last.messages.map(({ role, toolResults = [] }) =>
      role === 'tool' ? toolResults.map(({ text }) => text) : role,
    );
    expect(sent).toEqual(given.slice(0, sent.length));
    expect(sent).toHaveLength(5);
    expect(last.toolResults.map(({ text }) => text.slice(0, 7))).toEqual(['page 9:', 'page 10']);
  });

  it('covers the messages before the request, and keeps the request', async () => {
    const talk = scriptedModel(request => (isSummary(request) ? 'short' : 'word '.repeat(400)));
    const agent = loopAgent({ model: talk, compaction: { threshold: 700, keep: 0 } });
    const { log, threadId, events } = await runOn(agent, 'first', 'second', 'third');
    const conversation = await readConversation(log, threadId);
    const [first, , third] = of(events, 'user').map(event => `${event.runId}:user`);
    const second = of(events, 'harness_start')[1]?.runId;
    expect(of(events, 'summary')).toMatchObject([{ covers: { from: first, to: second } }]);
    expect(projectMessages(conversation, activeUpTo(conversation, third as string))).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: summaryText('short') },
          { type: 'text', text: 'third' },
        ],
      },
    ]);
  });

  it('requests the summary with the same prefix, so that provider caches match', async () => {
    const { agent, requests } = reader({ instructions: 'Be quick.' });
    await runOn(agent, 'Read all pages');
    for (const [index, request] of requests.entries()) {
      expect(request.toolNames).toEqual(['read']);
      const before = requests[index - 1];
      if (before === undefined || isSummary(before)) continue;
      const shared = isSummary(request) ? sentOf(request).slice(0, -1) : sentOf(before);
      const other = isSummary(request) ? sentOf(before) : sentOf(request);
      expect(other.slice(0, shared.length)).toEqual(shared);
    }
  });

  it('counts the usage of the summary', async () => {
    const { agent, requests } = reader();
    const { events } = await runOn(agent, 'Read all pages');
    expect(of(events, 'usage')).toHaveLength(requests.length);
  });

  it('continues uncompacted when the summary fails', async () => {
    const { agent } = reader({ retry: { maxRetries: 0 } }, { httpStatus: 400, message: 'no' });
    const { events } = await runOn(agent, 'Read all pages');
    expect(of(events, 'summary')).toEqual([]);
    expect(of(events, 'warning').filter(event => event.code === 'compaction_failed')).toHaveLength(1);
    expect(of(events, 'tool_result')).toHaveLength(10);
  });

  it('can be switched off', async () => {
    const { agent } = reader({ compaction: false });
    expect(of((await runOn(agent, 'Read all pages')).events, 'summary')).toEqual([]);
  });

  it('resumes from the summary after the process ended', async () => {
    const { agent, requests } = reader();
    const log = new MemoryLog();
    const { id: threadId } = await log.createThread();
    const first = new Supervisor({ log });
    await first.start(threadId, { agent, content: 'Read all pages' });
    for await (const event of log.tail(threadId)) if (event.type === 'summary') break;
    await first.close();
    const [continued] = await new Supervisor({ log, agents: [agent] }).recover();
    expect(await continued?.done).toBe('complete');
    const last = requests.at(-1) as ScriptedRequest;
    expect(sentOf(last)[0]).toBe(`user ${summaryText('the pages so far')}`);
    expect(checkOrder(await log.read(threadId))).toEqual([]);
  });
});

function asMessage({ role, text }: ScriptedRequest['messages'][number]) {
  return { role: role === 'system' ? ('system' as const) : ('user' as const), content: text };
}
