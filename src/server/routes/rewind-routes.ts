import { stat } from 'node:fs/promises';
import { defined } from '../../base/defined.ts';
import { type Route, threadRoute } from '../route.ts';
import type { Site } from '../site.ts';
import { GitFailure } from '../../agents/git/run-git.ts';
import { baseChanges } from '../../control/worktrees/base-changes.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { httpRoutes } from '../../protocols/http-routes.ts';

const tag = 'Threads';

/** Undo and redo of turns, with the files that their calls changed; none when the server has no snapshots. */
export function rewindRoutes(site: Site): Route[] {
  if (site.options.snapshots === undefined) return [];
  const { conversations } = site;
  const { rewind } = conversations;
  return [
    threadRoute(tag, httpRoutes.undo, {
      right: 'send',
      summary: 'Take turns back, from a user message on: the conversation in a new branch, and the files they changed',
      handle: ({ thread, body: { messageId, preview = false, force = false } }) =>
        preview
          ? rewind.previewUndo(thread.id, messageId)
          : conversations.undo(thread.id, { force, ...defined({ messageId }) }),
    }),
    threadRoute(tag, httpRoutes.redo, {
      right: 'send',
      summary: 'Take up again what the undo that made a thread took back',
      handle: ({ thread, body: { preview = false, force = false } }) =>
        preview ? rewind.previewRedo(thread.id) : conversations.redo(thread.id, { force }),
    }),
  ];
}

/** Creates the route that compares a thread's folder with its base; callers limited to one resource get `not_found`. */
export function baseRoutes(site: Site): Route[] {
  return [
    threadRoute('Threads', httpRoutes.baseChanges, {
      right: 'read',
      summary: 'Compare the folder of a thread with the commit that its work is based on',
      handle: async ({ thread, scope }) => {
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
