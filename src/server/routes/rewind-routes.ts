import { stat } from 'node:fs/promises';
import { defined } from '../../base/defined.ts';
import { httpRoutes } from '../../protocols/http-routes.ts';
import { type Route, route } from '../route.ts';
import type { Site } from '../site.ts';
import { GitFailure } from '../../agents/git/run-git.ts';
import { baseChanges } from '../../control/worktrees/base-changes.ts';
import { SingletreeError } from '../../base/singletree-error.ts';

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

/** What the files of a thread's folder are now, compared with its base; a token of one resource does not open it. */
export function baseRoutes(site: Site): Route[] {
  return [
    route({
      ...httpRoutes.baseChanges,
      right: 'read',
      tag: 'Threads',
      summary: 'Compare the folder of a thread with the commit that its work is based on',
      handle: async ({ param, scope }) => {
        const thread = await site.find(scope, param('threadId'));
        const folder = scope.resourceId === undefined ? await site.conversations.digests.findFolder(thread) : undefined;
        if (folder === undefined)
          throw new SingletreeError('not_found', `The thread "${thread.id}" has no folder that can be compared.`);
        // A folder that is gone is reported below.
        const found = await stat(folder).catch(() => undefined);
        if (found?.isDirectory() !== true)
          throw new SingletreeError('workspace_unavailable', `The folder "${folder}" is not on this server.`);
        try {
          return await baseChanges(folder);
        } catch (error) {
          if (!(error instanceof GitFailure)) throw error;
          const message = `The folder "${folder}" cannot be compared: ${error.message}`;
          throw new SingletreeError('workspace_unavailable', message, { cause: error });
        }
      },
    }),
  ];
}
