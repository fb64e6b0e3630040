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
import { type Route, route } from '../route.ts';
import { describeSender } from '../security/caller.ts';
import type { Site } from '../site.ts';

const tag = 'Messages';

/** What a person says and chooses in a thread. */
export function messageRoutes(site: Site): Route[] {
  const { conversations } = site;
  return [
    route({
      method: 'post',
      path: '/api/threads/{threadId}/messages',
      right: 'send',
      tag,
      summary: 'Say something: it starts a run, goes into the one under way, or waits until that one ended',
      body: messageBody,
      bodyBytes: 8 * 1024 * 1024,
      status: 202,
      answer: messageReceipt,
      handle: async ({ param, scope, body: { edits, ...body } }) => {
        const { id } = await site.findToSend(scope, param('threadId'));
        const message = { ...body, ...describeSender(scope) };
        return edits === undefined ? conversations.send(id, message) : conversations.edit(id, edits, message);
      },
    }),
    route({
      method: 'post',
      path: '/api/threads/{threadId}/retries',
      right: 'send',
      tag,
      summary: 'Ask once more for what a message answered',
      body: retryBody,
      status: 202,
      answer: messageReceipt,
      handle: async ({ param, scope, body }) => {
        const { id } = await site.find(scope, param('threadId'));
        const { runId } = await conversations.retry(id, defined({ ...body, trace: scope.trace }));
        return { runId };
      },
    }),
    route({
      method: 'post',
      path: '/api/threads/{threadId}/selection',
      right: 'send',
      tag,
      summary: 'Make a message the active one of its siblings',
      body: selectionBody,
      answer: z.looseObject({}),
      handle: async ({ param, scope, body }) => {
        const { id } = await site.find(scope, param('threadId'));
        await conversations.select(id, body.nodeId);
      },
    }),
  ];
}

/** What waits in a thread until its run has ended. */
export function queueRoutes(site: Site): Route[] {
  const { conversations } = site;
  return [
    route({
      method: 'get',
      path: '/api/threads/{threadId}/queue',
      right: 'read',
      tag,
      summary: 'The messages that wait until the run under way has ended, in the order of their delivery',
      answer: z.looseObject({ messages: z.array(queuedMessage) }),
      handle: async ({ param, scope }) => {
        const queue = await conversations.queue(await site.find(scope, param('threadId')));
        return {
          messages: queue.map(({ id, content, agent, model, mode, by, problem }) => ({
            id,
            content,
            ...defined({ agent, model, mode, by, problem }),
          })),
        };
      },
    }),
    route({
      method: 'patch',
      path: '/api/threads/{threadId}/queue/{messageId}',
      right: 'send',
      tag,
      summary: 'Change a message that waits',
      body: queuedBody,
      bodyBytes: 8 * 1024 * 1024,
      status: 204,
      handle: async ({ param, scope, body }) => {
        const { id } = await site.findToSend(scope, param('threadId'));
        await conversations.change(id, param('messageId'), body);
      },
    }),
    route({
      method: 'delete',
      path: '/api/threads/{threadId}/queue/{messageId}',
      right: 'send',
      tag,
      summary: 'Remove a message that waits',
      status: 204,
      handle: async ({ param, scope }) => {
        const { id } = await site.findToSend(scope, param('threadId'));
        await conversations.withdraw(id, param('messageId'));
      },
    }),
    route({
      method: 'post',
      path: '/api/threads/{threadId}/queue/{messageId}/send',
      right: 'send',
      tag,
      summary: 'Send a message that waits into the run under way',
      status: 202,
      answer: messageReceipt,
      handle: async ({ param, scope }) => {
        const { id } = await site.findToSend(scope, param('threadId'));
        return conversations.sendNow(id, param('messageId'));
      },
    }),
  ];
}
