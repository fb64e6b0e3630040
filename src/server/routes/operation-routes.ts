import * as z from 'zod';
import type { AgentCommand } from '../../agents/contract/abilities.ts';
import type { AgentInfo } from '../../protocols/http-agents.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { allThreads } from '../../log/all-threads.ts';
import type { EventLog } from '../../log/event-log.ts';
import { type OpenKind, openKinds } from '../../log/open-things.ts';
import { type Route, route } from '../route.ts';
import type { Scope } from '../security/caller.ts';
import type { Site } from '../site.ts';
import { projectsFor } from './project-routes.ts';
import { httpRoutes } from '../../protocols/http-routes.ts';

const tag = 'Operations';
const status = z.looseObject({ status: z.string() });
const folderQuery = z.strictObject({
  folder: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('the open project to look at; the one the server was started in when absent'),
});

/** Creates the routes for operators of the server. */
export function operationRoutes(site: Site): Route[] {
  const { log, control, agents, telemetry } = site.options;
  const agentsIn = async (scope: Scope, folder: string | undefined) =>
    folder === undefined ? agents : projectsFor(site, scope).findAgents(folder);
  return [
    route(tag, 'GET /healthz', {
      right: 'none',
      summary: 'Whether the process answers',
      answer: status,
      handle: () => ({ status: 'ok' }),
    }),
    route(tag, 'GET /readyz', {
      right: 'none',
      summary: 'Whether the log can be written and the server is not about to end',
      answer: status,
      handle: async () => {
        if (site.signal.aborted) throw new SingletreeError('log_unavailable', 'The server is about to end.');
        // Acquiring and releasing a lease writes to the log.
        await log.releaseLease(await log.acquireLease('ready', { owner: `ready ${process.pid}`, ttlMs: 0 }));
        return { status: 'ready' };
      },
    }),
    route(tag, 'GET /metrics', {
      right: 'read',
      summary: 'Counters for Prometheus; a token of one resource does not open it',
      answer: { contentType: 'text/plain', description: 'The Prometheus text format' },
      handle: async ({ scope }) => {
        if (scope.resourceId !== undefined) throw new SingletreeError('not_found', 'There is no GET /metrics.');
        const running = control.running();
        const text = site.metrics.render({
          openStreams: site.keepAlive.size,
          runningRuns: running.length,
          heldLeases: new Set(running.map(({ threadId }) => threadId)).size,
          authFailures: site.access.failures,
          runs: control.counts,
          open: await countOpen(log),
          spans: telemetry?.counts,
        });
        return new Response(text, { headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } });
      },
    }),
    route('Agents', httpRoutes.listAgents, {
      right: 'read',
      summary: 'List the agents that can be asked, the default first',
      query: folderQuery,
      handle: async ({ scope, query: { folder } }) => {
        const offered = (await agentsIn(scope, folder)).list();
        const at = folder ?? site.options.folder;
        const reported = at === undefined ? undefined : await site.conversations.commands.list(at, scope.resourceId);
        return { agents: offered.map(agent => withReported(agent, reported?.get(agent.id) ?? [])) };
      },
    }),
    route('Agents', httpRoutes.getSetup, {
      right: 'read',
      summary: 'List the agents and providers of models that are known, and how to add what is missing',
      query: folderQuery,
      handle: async ({ scope, query: { folder } }) => ({
        ...((await agentsIn(scope, folder)).setup?.() ?? { agents: [], keys: [] }),
        hasProjects: site.options.projects !== undefined && scope.resourceId === undefined,
        hasKeys: site.options.providers !== undefined && scope.resourceId === undefined,
        hasSessions: site.options.sessions !== undefined && scope.resourceId === undefined,
      }),
    }),
  ];
}

/** Adds the commands that an agent reported to those that it is known to have. */
function withReported(agent: AgentInfo, reported: readonly AgentCommand[]): AgentInfo {
  const { commands = [] } = agent;
  const more = reported.filter(({ name }) => !commands.some(own => own.name === name));
  return more.length === 0 ? agent : { ...agent, commands: [...commands, ...more.map(each => ({ ...each }))] };
}

/** Counts what is open in all threads of a log. */
async function countOpen(log: EventLog): Promise<Record<OpenKind, number>> {
  const counts = { run: 0, relay: 0, message: 0 };
  for (const open of openKinds)
    for await (const thread of allThreads(log, { open }))
      counts[open] += thread.open?.filter(({ kind }) => kind === open).length ?? 0;
  return counts;
}
