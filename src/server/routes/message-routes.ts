import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import {
  messageBody,
  messageReceipt,
  retryBody,
  selectionBody,
  queuedBody,
  queuedMessage,
} from '../../protocols/http-api.ts';
import { type Route, threadRoute } from '../route.ts';
import { describeSender } from '../security/caller.ts';
import type { Site } from '../site.ts';

const tag = 'Messages';

/** What a person says and chooses in a thread, and what waits there until its run has ended. */
export function messageRoutes(site: Site): Route[] {
  const { conversations } = site;
  return [
    threadRoute(tag, 'POST /api/threads/{threadId}/messages', {
      right: 'send',
      outsideRuns: true,
      summary: 'Say something: it starts a run, goes into the one under way, or waits until that one ended',
      body: messageBody,
      bodyBytes: 8 * 1024 * 1024,
      status: 202,
      answer: messageReceipt,
      handle: async ({ thread, scope, body: { edits, ...body } }) => {
        const message = { ...body, ...describeSender(scope) };
        return edits === undefined
          ? conversations.send(thread.id, message)
          : conversations.edit(thread.id, edits, message);
      },
    }),
    threadRoute(tag, 'POST /api/threads/{threadId}/retries', {
      right: 'send',
      summary: 'Ask once more for what a message answered',
      body: retryBody,
      status: 202,
      answer: messageReceipt,
      handle: async ({ thread, scope, body }) => {
        const { runId } = await conversations.retry(thread.id, defined({ ...body, trace: scope.trace }));
        return { runId };
      },
    }),
    threadRoute(tag, 'POST /api/threads/{threadId}/selection', {
      right: 'send',
      summary: 'Make a message the active one of its siblings',
      body: selectionBody,
      answer: z.looseObject({}),
      handle: ({ thread, body }) => conversations.select(thread.id, body.nodeId),
    }),
    threadRoute(tag, 'GET /api/threads/{threadId}/queue', {
      right: 'read',
      summary: 'The messages that wait until the run under way has ended, in the order of their delivery',
      answer: z.looseObject({ messages: z.array(queuedMessage) }),
      handle: async ({ thread }) => {
        const queue = await conversations.queue(thread);
        return {
          messages: queue.map(({ id, content, agent, model, mode, by, problem }) => ({
            id,
            content,
            ...defined({ agent, model, mode, by, problem }),
          })),
        };
      },
    }),
    threadRoute(tag, 'PATCH /api/threads/{threadId}/queue/{messageId}', {
      right: 'send',
      outsideRuns: true,
      summary: 'Change a message that waits',
      body: queuedBody,
      bodyBytes: 8 * 1024 * 1024,
      status: 204,
      handle: ({ thread, param, body }) => conversations.change(thread.id, param('messageId'), body),
    }),
    threadRoute(tag, 'DELETE /api/threads/{threadId}/queue/{messageId}', {
      right: 'send',
      outsideRuns: true,
      summary: 'Remove a message that waits',
      status: 204,
      handle: ({ thread, param }) => conversations.withdraw(thread.id, param('messageId')),
    }),
    threadRoute(tag, 'POST /api/threads/{threadId}/queue/{messageId}/send', {
      right: 'send',
      outsideRuns: true,
      summary: 'Send a message that waits into the run under way',
      status: 202,
      answer: messageReceipt,
      handle: ({ thread, param }) => conversations.sendNow(thread.id, param('messageId')),
    }),
  ];
}
