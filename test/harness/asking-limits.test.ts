import { expect, it } from 'vitest';
import * as z from 'zod';
import { scriptByStep } from '../../src/agents/model/scripted/script.ts';
import { Conversations, type HarnessTool } from '../../src/control/index.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { relayBook } from '../../src/projections/relay-book.ts';
import { toRelayAnswer } from '../../src/terminal/session/relay-band.ts';
import { calls, scene, yolo } from './scene.ts';

const look: HarnessTool = { description: 'looks', inputSchema: z.object({}), execute: () => 'seen' };
const usage = { inputTokens: 60, outputTokens: 40 };
const script = scriptByStep([
  { ...calls('look'), usage },
  { text: 'Done.', usage },
]);
const limited = () => ({ tools: { look }, limits: { run: { tokens: 100, then: 'ask' as const } }, ...yolo });

it('shows a limit that asks as a suspension, which takes a decision and nothing else', async () => {
  const { harness, on, of } = scene(script, limited());
  const sending = harness.sendMessage({ content: 'Go.' });
  const { toolCallId, toolName, suspendPayload } = await on('tool_suspended');
  expect([toolName, suspendPayload]).toEqual([
    'spending limit',
    { message: expect.stringContaining('100 tokens were spent. Approve to continue up to 200 tokens') },
  ]);
  expect(harness.getDisplayState().pendingSuspension).toMatchObject({ toolCallId });
  await expect(harness.respondToToolSuspension({ resumeData: 'yes' })).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining('{ approved: true }'),
  });
  await harness.respondToToolSuspension({ toolCallId, resumeData: { approved: true } });
  await sending;
  expect(harness.getDisplayState().pendingSuspension).toBe(null);
  expect(of('error')).toEqual([]);
  expect(harness.getTokenUsage().totalTokens).toBe(200);
});

it('ends the run when the limit is rejected in the chat', async () => {
  const storage = new MemoryLog();
  const { harness, on, of } = scene(script, { ...limited(), storage });
  const sending = harness.sendMessage({ content: 'Go.' });
  const { toolCallId } = await on('tool_suspended');
  let book = relayBook.initial;
  const threadId = harness.getCurrentThreadId() ?? '';
  for (const event of await storage.read(threadId)) book = relayBook.step(book, event);
  const [entry] = book.pending;
  expect(entry?.id).toBe(toolCallId);
  const rejected = entry && toRelayAnswer(entry, { type: 'reject' });
  if (rejected) await new Conversations({ log: storage }).answer(threadId, toolCallId, rejected);
  await sending;
  expect(of('error').map(({ error }) => error.message)).toEqual([expect.stringContaining('limit of 100 tokens')]);
  expect(harness.getTokenUsage().totalTokens).toBe(100);
});
