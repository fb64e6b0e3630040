import * as z from 'zod';
import { defined } from '../../events/defined.ts';
import { presentGrant } from '../../projections/presentation/present-relay.ts';
import { isGranting } from '../../projections/relay-book.ts';
import { type GrantInfo, grantInfo } from '../../protocols/index.ts';
import { type Route, route } from '../route.ts';
import { authorOf } from '../security/caller.ts';
import type { Site } from '../site.ts';

const tag = 'Relays';
const most = 1000;

/** What people allowed for longer than one call. */
export function grantRoutes(site: Site): Route[] {
  const { conversations } = site;
  return [
    route({
      method: 'get',
      path: '/api/grants',
      right: 'read',
      tag,
      summary: 'List what was allowed for longer than one call, of the threads that changed last',
      answer: z.looseObject({ grants: z.array(grantInfo) }),
      handle: async ({ scope }) => {
        const { decisions } = await conversations.inbox.settled(scope.resourceId, { limit: most, after: undefined });
        return {
          grants: decisions.flatMap(({ thread, entry }): GrantInfo[] => {
            const { relay, answer } = entry;
            if (answer === undefined || !isGranting(entry)) return [];
            const { remember = 'thread', ts: at, by } = answer;
            const covers = presentGrant(relay, answer);
            return [
              { threadId: thread.id, relayId: entry.id, remember, covers, ...defined({ title: thread.title, at, by }) },
            ];
          }),
        };
      },
    }),
    route({
      method: 'delete',
      path: '/api/threads/{threadId}/grants/{relayId}',
      right: 'administer',
      tag,
      summary: 'Revoke what an answer allowed beyond its call; the next turn asks again',
      status: 204,
      handle: async ({ scope, param }) => {
        const { id } = await site.find(scope, param('threadId'));
        await conversations.revokeGrant(id, param('relayId'), authorOf(scope));
      },
    }),
  ];
}
