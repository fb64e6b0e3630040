import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import { httpRoutes } from '../../protocols/http-routes.ts';
import { type Route, route } from '../route.ts';
import { describeSender } from '../security/caller.ts';
import type { Site } from '../site.ts';

const tag = 'Messages';

/** What a person says and chooses in a thread. */
export function messageRoutes(site: Site): Route[] {
  const { conversations } = site;
  return [
    route({
      ...httpRoutes.sendMessage,
      right: 'send',
      tag,
      summary: 'Say something: it starts a run, goes into the one under way, or waits until that one ended',
      bodyBytes: 8 * 1024 * 1024,
      status: 202,
      handle: async ({ param, scope, body: { edits, ...body } }) => {
        const { id } = await site.findToSend(scope, param('threadId'));
        const message = { ...body, ...describeSender(scope) };
        return edits === undefined ? conversations.send(id, message) : conversations.edit(id, edits, message);
      },
    }),
    route({
      ...httpRoutes.retry,
      right: 'send',
      tag,
      summary: 'Ask once more for what a message answered',
      status: 202,
      handle: async ({ param, scope, body }) => {
        const { id } = await site.find(scope, param('threadId'));
        const { runId } = await conversations.retry(id, defined({ ...body, trace: scope.trace }));
        return { runId };
      },
    }),
    route({
      ...httpRoutes.selectBranch,
      right: 'send',
      tag,
      summary: 'Make a message the active one of its siblings',
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
      ...httpRoutes.listQueue,
      right: 'read',
      tag,
      summary: 'The messages that wait until the run under way has ended, in the order of their delivery',
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
      ...httpRoutes.changeQueued,
      right: 'send',
      tag,
      summary: 'Change a message that waits',
      bodyBytes: 8 * 1024 * 1024,
      status: 204,
      handle: async ({ param, scope, body }) => {
        const { id } = await site.findToSend(scope, param('threadId'));
        await conversations.change(id, param('messageId'), body);
      },
    }),
    route({
      ...httpRoutes.removeQueued,
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
      ...httpRoutes.sendQueued,
      right: 'send',
      tag,
      summary: 'Send a message that waits into the run under way',
      status: 202,
      handle: async ({ param, scope }) => {
        const { id } = await site.findToSend(scope, param('threadId'));
        return conversations.sendNow(id, param('messageId'));
      },
    }),
  ];
}
