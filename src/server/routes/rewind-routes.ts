import { defined } from '../../base/defined.ts';
import { httpRoutes } from '../../protocols/http-routes.ts';
import { type Route, route } from '../route.ts';
import type { Site } from '../site.ts';

const tag = 'Threads';

/** Undo and redo of turns, with the files that their calls changed; none when the server has no snapshots. */
export function rewindRoutes(site: Site): Route[] {
  if (site.options.snapshots === undefined) return [];
  const { conversations } = site;
  const { rewind } = conversations;
  return [
    route({
      ...httpRoutes.undo,
      right: 'send',
      tag,
      summary: 'Take turns back, from a user message on: the conversation in a new branch, and the files they changed',
      handle: async ({ param, scope, body: { messageId, preview = false, force = false } }) => {
        const { id } = await site.find(scope, param('threadId'));
        return preview
          ? rewind.previewUndo(id, messageId)
          : conversations.undo(id, { force, ...defined({ messageId }) });
      },
    }),
    route({
      ...httpRoutes.redo,
      right: 'send',
      tag,
      summary: 'Take up again what the undo that made a thread took back',
      handle: async ({ param, scope, body: { preview = false, force = false } }) => {
        const { id } = await site.find(scope, param('threadId'));
        return preview ? rewind.previewRedo(id) : conversations.redo(id, { force });
      },
    }),
  ];
}
