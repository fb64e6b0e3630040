import * as z from 'zod';
import { agentInfo, mentionInfo, setupInfo } from './http-agents.ts';
import {
  branchBody,
  decisionInfo,
  eventPageInfo,
  fileInfo,
  messageBody,
  messageReceipt,
  newThreadBody,
  queuedBody,
  queuedMessage,
  relayBody,
  relayInfo,
  retryBody,
  runInfo,
  searchInfo,
  selectionBody,
  threadChangeBody,
  threadInfo,
  usageInfo,
  usageTotalInfo,
  windowInfo,
} from './http-api.ts';
import {
  baseInfo,
  comparisonBody,
  comparisonInfo,
  folderList,
  keptInfo,
  patchInfo,
  projectBody,
  projectInfo,
  rewindBody,
  rewindInfo,
  trustBody,
  worktreeInfo,
} from './http-folders.ts';
import { sessionImportBody, sessionImportInfo, sessionInfo } from './http-sessions.ts';
import {
  grantInfo,
  modelProviderBody,
  modelProviderInfo,
  modelProviderTest,
  rulesInfo,
  savedRuleBody,
} from './http-settings.ts';

interface JsonShapes {
  readonly body?: z.ZodType;
  /** The response body on success; when absent, clients ignore the body. */
  readonly answer?: z.ZodType;
}

/** One route of the HTTP API: its address and the shapes of its JSON. */
export interface HttpRoute extends JsonShapes {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** With its parameters in braces, such as `/api/threads/{threadId}`. */
  readonly path: string;
}

const get = <Path extends string, Answer extends z.ZodType>(path: Path, answer: Answer) =>
  ({ method: 'get', path, answer }) as const;
const remove = <Path extends string>(path: Path) => ({ method: 'delete', path }) as const;
const post = <Path extends string, Shapes extends JsonShapes>(path: Path, shapes: Shapes) =>
  ({ method: 'post', path, ...shapes }) as const;
const patch = <Path extends string, Shapes extends JsonShapes>(path: Path, shapes: Shapes) =>
  ({ method: 'patch', path, ...shapes }) as const;

const noFields = z.strictObject({});
const worktreePath = '/api/threads/{threadId}/worktree';
const queuedPath = '/api/threads/{threadId}/queue/{messageId}';
const providers = z.looseObject({ providers: z.array(modelProviderInfo) });

/**
 * The JSON routes, each under the name of its client method. The server mounts a handler for each route and the client
 * creates a method for each; both are typed by these schemas.
 */
export const httpRoutes = {
  listAgents: get('/api/agents', z.looseObject({ agents: z.array(agentInfo) })),
  getSetup: get('/api/setup', setupInfo),
  searchThreads: get(
    '/api/threads',
    z.looseObject({
      threads: z.array(threadInfo),
      next: z.string().optional().describe('the cursor of the next page, when there is more'),
    }),
  ),
  createThread: post('/api/threads', { body: newThreadBody, answer: threadInfo }),
  getThread: get('/api/threads/{threadId}', threadInfo),
  changeThread: patch('/api/threads/{threadId}', { body: threadChangeBody, answer: threadInfo }),
  deleteThread: remove('/api/threads/{threadId}'),
  branchThread: post('/api/threads/{threadId}/branches', { body: branchBody, answer: threadInfo }),
  moveThread: post('/api/threads/{threadId}/folder', { body: projectBody, answer: threadInfo }),
  undo: post('/api/threads/{threadId}/undo', { body: rewindBody, answer: rewindInfo }),
  redo: post('/api/threads/{threadId}/redo', { body: rewindBody.omit({ messageId: true }), answer: rewindInfo }),
  baseChanges: get('/api/threads/{threadId}/base-changes', baseInfo),
  sendMessage: post('/api/threads/{threadId}/messages', { body: messageBody, answer: messageReceipt }),
  retry: post('/api/threads/{threadId}/retries', { body: retryBody, answer: messageReceipt }),
  selectBranch: post('/api/threads/{threadId}/selection', { body: selectionBody }),
  listQueue: get('/api/threads/{threadId}/queue', z.looseObject({ messages: z.array(queuedMessage) })),
  changeQueued: patch(queuedPath, { body: queuedBody }),
  removeQueued: remove(queuedPath),
  sendQueued: post(`${queuedPath}/send`, { answer: messageReceipt }),
  answerRelay: post('/api/threads/{threadId}/relays/{relayId}', { body: relayBody }),
  listRelays: get('/api/relays', z.looseObject({ relays: z.array(relayInfo) })),
  listDecisions: get(
    '/api/decisions',
    z.looseObject({
      decisions: z.array(decisionInfo),
      next: z.string().optional().describe('the cursor of the next page, when there may be more'),
    }),
  ),
  listGrants: get('/api/grants', z.looseObject({ grants: z.array(grantInfo) })),
  revokeGrant: remove('/api/threads/{threadId}/grants/{relayId}'),
  listRuns: get('/api/threads/{threadId}/runs', z.looseObject({ runs: z.array(runInfo) })),
  getRun: get('/api/threads/{threadId}/runs/{runId}', runInfo),
  stopSubagent: post('/api/threads/{threadId}/runs/{runId}/stop', {}),
  abortRun: post('/api/runs/{runId}/abort', {}),
  listFiles: get('/api/threads/{threadId}/files', z.looseObject({ files: z.array(fileInfo) })),
  getUsage: get('/api/threads/{threadId}/usage', usageInfo),
  sumUsage: get('/api/usage', z.looseObject({ totals: z.array(usageTotalInfo) })),
  events: get('/api/events', eventPageInfo),
  search: get('/api/search', searchInfo),
  readWindow: get('/api/threads/{threadId}/window', windowInfo),
  findMentions: get('/api/mentions', z.looseObject({ files: z.array(mentionInfo) })),
  startComparison: post('/api/comparisons', { body: comparisonBody, answer: comparisonInfo }),
  listWorktrees: get('/api/worktrees', z.looseObject({ worktrees: z.array(worktreeInfo) })),
  getWorktree: get(worktreePath, worktreeInfo),
  readPatch: get(`${worktreePath}/patch`, patchInfo),
  keepWorktree: post(`${worktreePath}/keep`, { body: noFields, answer: keptInfo }),
  removeWorktree: remove(worktreePath),
  listSessions: get('/api/sessions', z.looseObject({ sessions: z.array(sessionInfo) })),
  importSession: post('/api/sessions/{sessionId}/import', { body: sessionImportBody, answer: sessionImportInfo }),
  listProjects: get('/api/projects', z.looseObject({ projects: z.array(projectInfo) })),
  openProject: post('/api/projects', { body: projectBody, answer: projectInfo }),
  trustProject: post('/api/projects/trust', { body: trustBody, answer: projectInfo }),
  listFolders: get('/api/folders', folderList),
  listProviders: get('/api/providers', providers),
  storeProvider: post('/api/providers', { body: modelProviderBody, answer: providers }),
  testProvider: post('/api/providers/{providerId}/test', { body: noFields, answer: modelProviderTest }),
  removeProvider: remove('/api/providers/{providerId}'),
  getRules: get('/api/rules', rulesInfo),
  saveRule: post('/api/rules', { body: savedRuleBody }),
  removeRule: remove('/api/rules/{ruleId}'),
} satisfies Readonly<Record<string, HttpRoute>>;

export type HttpRoutes = typeof httpRoutes;
