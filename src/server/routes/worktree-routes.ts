import * as z from 'zod';
import { startComparison } from '../../control/worktrees/comparison.ts';
import { defined } from '../../base/defined.ts';
import type { WorktreeInfo } from '../../protocols/http-folders.ts';
import { pickAgent } from '../../control/conversations/sent-message.ts';
import { type Route, route, threadRoute } from '../route.ts';
import { describeSender } from '../security/caller.ts';
import type { Site } from '../site.ts';
import { projectsFor } from './project-routes.ts';
import { ThreadWorktrees } from '../../control/worktrees/thread-worktrees.ts';
import type { WorktreeState } from '../../control/worktrees/worktrees.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { httpRoutes } from '../../protocols/http-routes.ts';

/** Comparisons of several agents on one request. */
export function comparisonRoutes(site: Site): Route[] {
  const { log, control, agents, worktrees } = site.options;
  return [
    route('Comparisons', httpRoutes.startComparison, {
      right: 'send',
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
    route(tag, httpRoutes.listWorktrees, {
      right: 'read',
      summary: 'List the git worktrees of all threads',
      handle: async ({ scope }) => {
        const records = await worktrees.records();
        const visible = await Promise.all(
          records.map(async record => {
            const isSeen = await site.find(scope, record.threadId).then(
              () => true,
              // Only a caller without a resource limit sees the worktrees of deleted threads.
              error => scope.resourceId === undefined && SingletreeError.is(error, 'thread_not_found'),
            );
            return isSeen ? [toInfo(await worktrees.state(record))] : [];
          }),
        );
        return { worktrees: visible.flat() };
      },
    }),
    threadRoute(tag, httpRoutes.getWorktree, {
      right: 'read',
      summary: 'Read the worktree of a thread: where it is, and the files that were changed in it',
      handle: async ({ thread }) => toInfo(await ofThreads.state(thread.id)),
    }),
    threadRoute(tag, httpRoutes.readPatch, {
      right: 'read',
      summary: 'Read how one file was changed in the worktree of a thread',
      query: z.strictObject({ path: z.string().min(1) }),
      handle: async ({ thread, query: { path } }) => {
        const patch = await ofThreads.readPatch(thread.id, path);
        return { path, patch: patch.slice(0, mostPatch), ...(patch.length > mostPatch && { isCut: true }) };
      },
    }),
    threadRoute(tag, httpRoutes.keepWorktree, {
      right: 'administer',
      summary: 'Apply the changes of a worktree to the original folder, all or none, without a commit',
      handle: async ({ thread }) => ({ files: [...(await ofThreads.keep(thread.id))] }),
    }),
    threadRoute(tag, httpRoutes.removeWorktree, {
      right: 'administer',
      summary: 'Remove the worktree of a thread; one with changes only when that is forced',
      query: z.strictObject({ force: z.enum(['true', 'false']).optional() }),
      status: 204,
      handle: ({ thread, query: { force } }) => ofThreads.remove(thread.id, { force: force === 'true' }),
    }),
  ];
}

function toInfo({ path: _path, root: _root, head: _head, files, ...state }: WorktreeState): WorktreeInfo {
  return { ...state, files: files.map(file => ({ ...file })) };
}
