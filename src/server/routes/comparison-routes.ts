import { startComparison } from '../../control/worktrees/comparison.ts';
import { defined } from '../../base/defined.ts';
import { pickAgent } from '../../control/conversations/sent-message.ts';
import { httpRoutes } from '../../protocols/http-routes.ts';
import { type Route, route } from '../route.ts';
import { describeSender } from '../security/caller.ts';
import type { Site } from '../site.ts';
import { projectsFor } from './project-routes.ts';

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
