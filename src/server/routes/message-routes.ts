import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import { type Route, threadRoute } from '../route.ts';
import { describeSender } from '../security/caller.ts';
import type { Site } from '../site.ts';
import { httpRoutes } from '../../protocols/http-routes.ts';

const tag = 'Messages';

/** Creates the routes for the messages, selections and queued messages of a thread. */
export function messageRoutes(site: Site): Route[] {
  const { conversations } = site;
  return [
    threadRoute(tag, httpRoutes.sendMessage, {
      right: 'send',
      outsideRuns: true,
      summary: 'Say something: it starts a run, goes into the one under way, or waits until that one ended',
      bodyBytes: 8 * 1024 * 1024,
      status: 202,
      handle: async ({ thread, scope, body: { edits, ...body } }) => {
        const message = { ...body, ...describeSender(scope) };
        return edits === undefined
          ? conversations.send(thread.id, message)
          : conversations.edit(thread.id, edits, message);
      },
    }),
    threadRoute(tag, httpRoutes.retry, {
      right: 'send',
      summary: 'Ask once more for what a message answered',
      status: 202,
      handle: async ({ thread, scope, body }) => {
        const { runId } = await conversations.retry(thread.id, defined({ ...body, trace: scope.trace }));
        return { runId };
      },
    }),
    threadRoute(tag, httpRoutes.selectBranch, {
      right: 'send',
      summary: 'Make a message the active one of its siblings',
      answer: z.looseObject({}),
      handle: ({ thread, body }) => conversations.select(thread.id, body.nodeId),
    }),
    threadRoute(tag, httpRoutes.listQueue, {
      right: 'read',
      summary: 'The messages that wait until the run under way has ended, in the order of their delivery',
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
    threadRoute(tag, httpRoutes.changeQueued, {
      right: 'send',
      outsideRuns: true,
      summary: 'Change a message that waits',
      bodyBytes: 8 * 1024 * 1024,
      status: 204,
      handle: ({ thread, param, body }) => conversations.change(thread.id, param('messageId'), body),
    }),
    threadRoute(tag, httpRoutes.removeQueued, {
      right: 'send',
      outsideRuns: true,
      summary: 'Remove a message that waits',
      status: 204,
      handle: ({ thread, param }) => conversations.withdraw(thread.id, param('messageId')),
    }),
    threadRoute(tag, httpRoutes.sendQueued, {
      right: 'send',
      outsideRuns: true,
      summary: 'Send a message that waits into the run under way',
      status: 202,
      handle: ({ thread, param }) => conversations.sendNow(thread.id, param('messageId')),
    }),
  ];
}
