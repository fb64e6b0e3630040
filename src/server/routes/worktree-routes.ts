import * as z from 'zod';
import { startComparison } from '../../control/worktrees/comparison.ts';
import { defined } from '../../base/defined.ts';
import { type WorktreeInfo } from '../../protocols/http-folders.ts';
import { pickAgent } from '../../control/conversations/sent-message.ts';
import { httpRoutes } from '../../protocols/http-routes.ts';
import { type Route, route } from '../route.ts';
import { describeSender } from '../security/caller.ts';
import type { Site } from '../site.ts';
import { projectsFor } from './project-routes.ts';
import { ThreadWorktrees } from '../../control/worktrees/thread-worktrees.ts';
import type { WorktreeState } from '../../control/worktrees/worktrees.ts';
import { SingletreeError } from '../../base/singletree-error.ts';

/** Comparisons of several agents on one request. */
export function comparisonRoutes(site: Site): Route[] {
  const { log, control, agents, worktrees } = site.options;
  return [
    route({
      ...httpRoutes.startComparison,
      right: 'send',
      tag: 'Comparisons',
      summary:
        'Start several agents with one request, each in a thread and, in a git repository, a worktree of its own',
      bodyBytes: 8 * 1024 * 1024,
      status: 202,
      handle: async ({ scope, body: { content, agents: named, folder, branch, uncommitted } }) => {
        const place = folder === undefined ? worktrees : await projectsFor(site, scope).findWorktrees(folder);
        const started = await startComparison(
          { log, control, worktrees: place },
          {
            content,
            agents: named.map(({ agent, model }) => ({ agent: pickAgent(agents, agent), model })),
            resourceId: scope.resourceId,
            branch,
            uncommitted,
            ...describeSender(scope),
          },
        );
        return {
          runs: started.map(({ threadId, agentId, run, worktree, note, problem }) => ({
            threadId,
            agentId,
            ...defined({ runId: run?.runId, folder: worktree?.folder, branch: worktree?.branch, note, problem }),
          })),
        };
      },
    }),
  ];
}

const tag = 'Comparisons';
const mostPatch = 2_000_000;

/** The git worktrees of threads; none when the server has no folder for them. */
export function worktreeRoutes(site: Site): Route[] {
  const { log, worktrees } = site.options;
  if (worktrees === undefined) return [];
  const ofThreads = new ThreadWorktrees({ log, conversations: site.conversations, worktrees });
  return [
    route({
      ...httpRoutes.listWorktrees,
      right: 'read',
      tag,
      summary: 'List the git worktrees of all threads',
      handle: async ({ scope }) => {
        const records = await worktrees.records();
        const visible = await Promise.all(
          records.map(async record => {
            const isSeen = await site.find(scope, record.threadId).then(
              () => true,
              // Only who sees everything sees what deleted threads left.
              error => scope.resourceId === undefined && SingletreeError.is(error, 'thread_not_found'),
            );
            return isSeen ? [infoOf(await worktrees.state(record))] : [];
          }),
        );
        return { worktrees: visible.flat() };
      },
    }),
    route({
      ...httpRoutes.getWorktree,
      right: 'read',
      tag,
      summary: 'Read the worktree of a thread: where it is, and the files that were changed in it',
      handle: async ({ param, scope }) => {
        const { id } = await site.find(scope, param('threadId'));
        return infoOf(await ofThreads.state(id));
      },
    }),
    route({
      ...httpRoutes.readPatch,
      right: 'read',
      tag,
      summary: 'Read how one file was changed in the worktree of a thread',
      query: z.strictObject({ path: z.string().min(1) }),
      handle: async ({ param, scope, query: { path } }) => {
        const { id } = await site.find(scope, param('threadId'));
        const patch = await ofThreads.patchOf(id, path);
        return { path, patch: patch.slice(0, mostPatch), ...(patch.length > mostPatch && { isCut: true }) };
      },
    }),
    route({
      ...httpRoutes.keepWorktree,
      right: 'administer',
      tag,
      summary: 'Apply the changes of a worktree to the original folder, all or none, without a commit',
      handle: async ({ param, scope }) => {
        const { id } = await site.find(scope, param('threadId'));
        return { files: [...(await ofThreads.keep(id))] };
      },
    }),
    route({
      ...httpRoutes.removeWorktree,
      right: 'administer',
      tag,
      summary: 'Remove the worktree of a thread; one with changes only when that is forced',
      query: z.strictObject({ force: z.enum(['true', 'false']).optional() }),
      status: 204,
      handle: async ({ param, scope, query: { force } }) => {
        const { id } = await site.find(scope, param('threadId'));
        await ofThreads.remove(id, { force: force === 'true' });
      },
    }),
  ];
}

function infoOf({ path: _path, root: _root, head: _head, files, ...state }: WorktreeState): WorktreeInfo {
  return { ...state, files: files.map(file => ({ ...file })) };
}
