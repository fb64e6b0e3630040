import { httpRoutes } from '../../protocols/http-routes.ts';
import { type Route, route } from '../route.ts';
import { authorOf } from '../security/caller.ts';
import type { Site } from '../site.ts';

const tag = 'Relays';

/** What people allowed for longer than one call. */
export function grantRoutes(site: Site): Route[] {
  const { conversations } = site;
  return [
    route({
      ...httpRoutes.listGrants,
      right: 'read',
      tag,
      summary: 'List what was allowed for longer than one call, of the threads that changed last',
      handle: async ({ scope }) => {
        const grants = await conversations.listGrants(scope.resourceId);
        return { grants: grants.map(grant => ({ ...grant })) };
      },
    }),
    route({
      ...httpRoutes.revokeGrant,
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
