import * as z from 'zod';
import type { ThreadRelay } from '../../control/conversations/relay-books.ts';
import { defined } from '../../base/defined.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { relayBody } from '../../protocols/http-api.ts';
import { wholeNumber } from '../request-input.ts';
import { type Route, route, threadRoute } from '../route.ts';
import { getAuthor } from '../security/caller.ts';
import type { Site } from '../site.ts';
import { toCursor, placeIn } from '../threads.ts';
import { httpRoutes } from '../../protocols/http-routes.ts';

const tag = 'Relays';

/** Creates the routes for relays: the inbox of all threads, answers, and the grants that answers create. */
export function relayRoutes(site: Site): Route[] {
  const { conversations } = site;
  const { inbox } = conversations;
  const toInfo = async (relay: ThreadRelay) => {
    const { id: threadId, title } = relay.thread;
    return { ...relay.entry, threadId, ...defined({ title, agentId: await inbox.findAgent(relay) }) };
  };
  return [
    route(tag, httpRoutes.listRelays, {
      right: 'read',
      summary: 'List what waits for a person in all threads, oldest first',
      query: z.strictObject({ threadId: z.string().min(1).optional().describe('only those of this thread') }),
      handle: async ({ scope, query: { threadId } }) => {
        const thread = threadId === undefined ? undefined : await site.find(scope, threadId);
        const relays =
          thread === undefined
            ? await inbox.list(scope.resourceId)
            : (await inbox.of(thread)).pending.map(entry => ({ thread, entry }));
        return { relays: await Promise.all(relays.map(toInfo)) };
      },
    }),
    route(tag, httpRoutes.listDecisions, {
      right: 'read',
      summary: 'List what was decided in all threads, by whom and when; the threads that changed last first',
      query: z.strictObject({
        limit: wholeNumber.pipe(z.number().min(1).max(1000)).optional().describe('about how many, 100 when absent'),
        cursor: z.string().max(1000).optional().describe('`next` of the page before'),
      }),
      handle: async ({ scope, query: { limit = 100, cursor } }) => {
        const { decisions, next } = await inbox.settled(scope.resourceId, { limit, after: placeIn(cursor) });
        return { decisions: await Promise.all(decisions.map(toInfo)), ...(next && { next: toCursor(next) }) };
      },
    }),
    route(tag, 'POST /api/relays/{relayId}', {
      right: 'approve',
      summary: 'Answer a relay that waits, in whichever thread it is',
      body: relayBody,
      answer: z.looseObject({}),
      handle: async ({ param, scope, body }) => {
        const relayId = param('relayId');
        const found = await inbox.find(relayId, scope.resourceId);
        if (found === undefined)
          throw new SingletreeError('relay_not_found', `Nobody waits for an answer to "${relayId}".`, {
            details: { relayId },
          });
        const { id } = await site.findToSend(scope, found.thread.id);
        await conversations.answer(id, relayId, { ...body, ...getAuthor(scope) });
      },
    }),
    threadRoute(tag, httpRoutes.answerRelay, {
      right: 'approve',
      outsideRuns: true,
      summary: 'Answer a relay; the first answer wins',
      answer: z.looseObject({}),
      handle: ({ thread, param, scope, body }) =>
        conversations.answer(thread.id, param('relayId'), { ...body, ...getAuthor(scope) }),
    }),
    route(tag, httpRoutes.listGrants, {
      right: 'read',
      summary: 'List what was allowed for longer than one call, of the threads that changed last',
      handle: async ({ scope }) => {
        const grants = await conversations.listGrants(scope.resourceId);
        return { grants: grants.map(grant => ({ ...grant })) };
      },
    }),
    threadRoute(tag, httpRoutes.revokeGrant, {
      right: 'administer',
      summary: 'Revoke what an answer allowed beyond its call; the next turn asks again',
      status: 204,
      handle: ({ thread, scope, param }) => conversations.revokeGrant(thread.id, param('relayId'), getAuthor(scope)),
    }),
  ];
}
