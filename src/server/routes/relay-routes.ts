import * as z from 'zod';
import { SingletreeError } from '../../events/index.ts';
import { relayBody, relayInfo } from '../../protocols/index.ts';
import { type Route, route } from '../route.ts';
import { authorOf } from '../security/access.ts';
import type { Site } from '../site.ts';

const tag = 'Relays';

/** What agents ask people: one inbox over all threads, and the answers. */
export function relayRoutes(site: Site): Route[] {
  const { control } = site.options;
  return [
    route({
      method: 'get',
      path: '/api/relays',
      tag,
      summary: 'List what waits for a person in all threads, oldest first',
      answer: z.looseObject({ relays: z.array(relayInfo) }),
      handle: async ({ scope }) => ({ relays: await site.inbox.all(scope) }),
    }),
    route({
      method: 'post',
      path: '/api/relays/{relayId}',
      tag,
      summary: 'Answer a relay that waits, in whichever thread it is',
      body: relayBody,
      answer: z.looseObject({}),
      handle: async ({ param, scope, body }) => {
        const relayId = param('relayId');
        const found = await site.inbox.find(scope, relayId);
        if (found === undefined)
          throw new SingletreeError('relay_not_found', `Nobody waits for an answer to "${relayId}".`, {
            details: { relayId },
          });
        await control.answer(found.threadId, relayId, { ...body, ...authorOf(scope) });
      },
    }),
    route({
      method: 'post',
      path: '/api/threads/{threadId}/relays/{relayId}',
      tag,
      summary: 'Answer a relay; the first answer wins',
      body: relayBody,
      answer: z.looseObject({}),
      handle: async ({ param, scope, body }) => {
        const { id } = await site.find(scope, param('threadId'));
        await control.answer(id, param('relayId'), { ...body, ...authorOf(scope) });
      },
    }),
  ];
}
