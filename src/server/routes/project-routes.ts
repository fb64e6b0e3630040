import * as z from 'zod';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { ProjectHost } from '../hosts.ts';
import { type Route, route, threadRoute } from '../route.ts';
import { checkOwner, type Scope } from '../security/caller.ts';
import type { Site } from '../site.ts';
import { httpRoutes } from '../../protocols/http-routes.ts';

const tag = 'Projects';

/** Creates the routes for project folders; callers limited to one resource get `not_found`. */
export function projectRoutes(site: Site): Route[] {
  return [
    route(tag, httpRoutes.listProjects, {
      right: 'read',
      summary: 'List the folders that were opened as projects, the newest first',
      // The page requests this from every server; a server without projects returns an empty list.
      handle: async ({ scope }) => ({
        projects: site.options.projects === undefined ? [] : await projectsFor(site, scope).listProjects(),
      }),
    }),
    route(tag, httpRoutes.openProject, {
      right: 'administer',
      summary: 'Open a folder as a project; its configuration has no effect until it is trusted',
      handle: ({ scope, body: { folder } }) => projectsFor(site, scope).openProject(folder),
    }),
    route(tag, httpRoutes.trustProject, {
      right: 'administer',
      summary: 'Trust the configuration of a project, as the lines that were read describe it',
      handle: ({ scope, body }) => projectsFor(site, scope, 'decide').trustProject(body),
    }),
    route(tag, httpRoutes.listFolders, {
      right: 'administer',
      summary: 'List the folders in a folder, to find a project; nothing outside the roots of the server',
      query: z.strictObject({ path: z.string().min(1).max(4096).optional().describe('the roots when absent') }),
      handle: ({ scope, query: { path } }) => projectsFor(site, scope).listFolders(path),
    }),
    threadRoute(tag, httpRoutes.moveThread, {
      right: 'administer',
      outsideRuns: true,
      summary: 'Let the next turns of a thread work in another project',
      handle: async ({ thread, scope, body }) => {
        const projects = projectsFor(site, scope, 'decide');
        const { folder } = await projects.findProject(body.folder);
        await site.conversations.move(thread.id, { folder });
        return site.listed(await site.find(scope, thread.id));
      },
    }),
    route(tag, httpRoutes.getRules, {
      right: 'read',
      summary: 'List the rules in effect with their sources, the MCP servers with their tools, and the skills',
      query: z.strictObject({ folder: z.string().min(1).max(4096).optional().describe('of this project') }),
      handle: ({ scope, query: { folder } }) => projectsFor(site, scope).describeRules(folder),
    }),
    route(tag, httpRoutes.saveRule, {
      right: 'administer',
      summary: 'Save a rule for all conversations: one command that a tool may run without asking',
      status: 204,
      handle: ({ scope, body }) => projectsFor(site, scope, 'decide').saveRule(body),
    }),
    route(tag, httpRoutes.removeRule, {
      right: 'administer',
      summary: 'Remove a rule that was saved for all conversations; the next call is asked about again',
      status: 204,
      handle: ({ scope, param }) => projectsFor(site, scope, 'decide').removeRule(param('ruleId')),
    }),
  ];
}

/** Returns the projects of a server for a caller who sees everything; throws `not_found` for others. */
export function projectsFor(site: Site, scope: Scope, action: 'see' | 'decide' = 'see'): ProjectHost {
  const { projects } = site.options;
  if (projects === undefined || scope.resourceId !== undefined)
    throw new SingletreeError(
      'not_found',
      'This server has no projects: its agents work in the folder it was started in.',
    );
  if (action === 'decide') checkOwner(scope, 'Projects');
  return projects;
}
