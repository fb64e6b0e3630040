import * as z from 'zod';
import { type ThreadInfo, threadInfo } from '../protocols/http-api.ts';
import {
  type FolderList,
  folderList,
  type ProjectInfo,
  projectInfo,
  type TrustBody,
} from '../protocols/http-projects.ts';
import {
  type GrantInfo,
  grantInfo,
  type ModelProviderBody,
  type ModelProviderInfo,
  modelProviderInfo,
  type ModelProviderTest,
  modelProviderTest,
  type RulesInfo,
  rulesInfo,
  type SavedRuleBody,
} from '../protocols/http-settings.ts';
import { path, post, queryOf } from './request-parts.ts';

/** The folders, keys and rules of a server; a server that has none refuses with `not_found`. */
export interface ProjectClient {
  /** The folders that were opened as projects, the newest first. */
  listProjects(): Promise<ProjectInfo[]>;
  openProject(folder: string): Promise<ProjectInfo>;
  /** Trusts the configuration of a project, as the lines that were read describe it. */
  trustProject(request: TrustBody): Promise<ProjectInfo>;
  /** The folders in a folder, or those to begin with. */
  listFolders(path?: string): Promise<FolderList>;
  /** Lets the next turns of a thread work in another open project. */
  moveThread(threadId: string, folder: string): Promise<ThreadInfo>;
  /** Where the keys of providers come from. */
  listProviders(): Promise<ModelProviderInfo[]>;
  storeProvider(provider: ModelProviderBody): Promise<ModelProviderInfo[]>;
  testProvider(id: string): Promise<ModelProviderTest>;
  removeProvider(id: string): Promise<void>;
  /** The rules in effect, the MCP servers and the skills of a project. */
  getRules(place?: { readonly folder?: string | undefined }): Promise<RulesInfo>;
  /** Saves a rule for all conversations: one command that a tool may run without asking. */
  saveRule(rule: SavedRuleBody): Promise<void>;
  removeRule(id: string): Promise<void>;
  /** What people allowed for longer than one call. */
  listGrants(): Promise<GrantInfo[]>;
  revokeGrant(threadId: string, relayId: string): Promise<void>;
}

const anything = z.unknown();
const projectList = z.looseObject({ projects: z.array(projectInfo) });
const providerList = z.looseObject({ providers: z.array(modelProviderInfo) });
const grantList = z.looseObject({ grants: z.array(grantInfo) });

/** Creates the part of a client that is about folders, keys and rules. */
export function projectClient(
  call: <Schema extends z.ZodType>(schema: Schema, address: string, init?: RequestInit) => Promise<z.infer<Schema>>,
): ProjectClient {
  return {
    listProjects: async () => (await call(projectList, 'projects')).projects,
    openProject: folder => call(projectInfo, 'projects', post({ folder })),
    trustProject: request => call(projectInfo, 'projects/trust', post(request)),
    listFolders: folder => call(folderList, `folders${queryOf({ path: folder })}`),
    moveThread: (threadId, folder) => call(threadInfo, path`threads/${threadId}/folder`, post({ folder })),
    listProviders: async () => (await call(providerList, 'providers')).providers,
    storeProvider: async provider => (await call(providerList, 'providers', post(provider))).providers,
    testProvider: id => call(modelProviderTest, path`providers/${id}/test`, post({})),
    removeProvider: async id => void (await call(anything, path`providers/${id}`, { method: 'DELETE' })),
    getRules: (place = {}) => call(rulesInfo, `rules${queryOf(place)}`),
    saveRule: async rule => void (await call(anything, 'rules', post(rule))),
    removeRule: async id => void (await call(anything, path`rules/${id}`, { method: 'DELETE' })),
    listGrants: async () => (await call(grantList, 'grants')).grants,
    revokeGrant: async (threadId, relayId) =>
      void (await call(anything, path`threads/${threadId}/grants/${relayId}`, { method: 'DELETE' })),
  };
}
