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
  keptInfo,
  patchInfo,
  rewindBody,
  rewindInfo,
  worktreeInfo,
} from './http-folders.ts';
import { folderList, projectBody, projectInfo, trustBody } from './http-projects.ts';
import { sessionImportBody, sessionImportInfo, sessionInfo } from './http-sessions.ts';
import {
  grantInfo,
  modelProviderBody,
  modelProviderInfo,
  modelProviderTest,
  rulesInfo,
  savedRuleBody,
} from './http-settings.ts';

/** One route of the HTTP API: its address and the shapes that its JSON has. */
export interface HttpRoute {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** With its parameters in braces, such as `/api/threads/{threadId}`. */
  readonly path: string;
  /** The JSON body. */
  readonly body?: z.ZodType;
  /** What success answers with; nothing that a client reads when absent. */
  readonly answer?: z.ZodType;
}

const noFields = z.strictObject({});
const worktreePath = '/api/threads/{threadId}/worktree';
const queuedPath = '/api/threads/{threadId}/queue/{messageId}';
const providers = z.looseObject({ providers: z.array(modelProviderInfo) });

/**
 * The routes that clients call with JSON, each with the name that a client calls it by. The server mounts a handler on
 * each, a client makes a method of each: both are typed by the shapes here.
 */
export const httpRoutes = {
  listAgents: { method: 'get', path: '/api/agents', answer: z.looseObject({ agents: z.array(agentInfo) }) },
  getSetup: { method: 'get', path: '/api/setup', answer: setupInfo },
  searchThreads: {
    method: 'get',
    path: '/api/threads',
    answer: z.looseObject({
      threads: z.array(threadInfo),
      next: z.string().optional().describe('the cursor of the next page, when there is more'),
    }),
  },
  createThread: { method: 'post', path: '/api/threads', body: newThreadBody, answer: threadInfo },
  getThread: { method: 'get', path: '/api/threads/{threadId}', answer: threadInfo },
  changeThread: { method: 'patch', path: '/api/threads/{threadId}', body: threadChangeBody, answer: threadInfo },
  deleteThread: { method: 'delete', path: '/api/threads/{threadId}' },
  branchThread: { method: 'post', path: '/api/threads/{threadId}/branches', body: branchBody, answer: threadInfo },
  moveThread: { method: 'post', path: '/api/threads/{threadId}/folder', body: projectBody, answer: threadInfo },
  undo: { method: 'post', path: '/api/threads/{threadId}/undo', body: rewindBody, answer: rewindInfo },
  redo: {
    method: 'post',
    path: '/api/threads/{threadId}/redo',
    body: rewindBody.omit({ messageId: true }),
    answer: rewindInfo,
  },
  baseChanges: { method: 'get', path: '/api/threads/{threadId}/base-changes', answer: baseInfo },
  sendMessage: { method: 'post', path: '/api/threads/{threadId}/messages', body: messageBody, answer: messageReceipt },
  retry: { method: 'post', path: '/api/threads/{threadId}/retries', body: retryBody, answer: messageReceipt },
  selectBranch: { method: 'post', path: '/api/threads/{threadId}/selection', body: selectionBody },
  listQueue: {
    method: 'get',
    path: '/api/threads/{threadId}/queue',
    answer: z.looseObject({ messages: z.array(queuedMessage) }),
  },
  changeQueued: { method: 'patch', path: queuedPath, body: queuedBody },
  removeQueued: { method: 'delete', path: queuedPath },
  sendQueued: { method: 'post', path: `${queuedPath}/send`, answer: messageReceipt },
  answerRelay: { method: 'post', path: '/api/threads/{threadId}/relays/{relayId}', body: relayBody },
  listRelays: { method: 'get', path: '/api/relays', answer: z.looseObject({ relays: z.array(relayInfo) }) },
  listDecisions: {
    method: 'get',
    path: '/api/decisions',
    answer: z.looseObject({
      decisions: z.array(decisionInfo),
      next: z.string().optional().describe('the cursor of the next page, when there may be more'),
    }),
  },
  listGrants: { method: 'get', path: '/api/grants', answer: z.looseObject({ grants: z.array(grantInfo) }) },
  revokeGrant: { method: 'delete', path: '/api/threads/{threadId}/grants/{relayId}' },
  listRuns: {
    method: 'get',
    path: '/api/threads/{threadId}/runs',
    answer: z.looseObject({ runs: z.array(runInfo) }),
  },
  getRun: { method: 'get', path: '/api/threads/{threadId}/runs/{runId}', answer: runInfo },
  stopSubagent: { method: 'post', path: '/api/threads/{threadId}/runs/{runId}/stop' },
  abortRun: { method: 'post', path: '/api/runs/{runId}/abort' },
  listFiles: {
    method: 'get',
    path: '/api/threads/{threadId}/files',
    answer: z.looseObject({ files: z.array(fileInfo) }),
  },
  getUsage: { method: 'get', path: '/api/threads/{threadId}/usage', answer: usageInfo },
  sumUsage: { method: 'get', path: '/api/usage', answer: z.looseObject({ totals: z.array(usageTotalInfo) }) },
  events: { method: 'get', path: '/api/events', answer: eventPageInfo },
  search: { method: 'get', path: '/api/search', answer: searchInfo },
  readWindow: { method: 'get', path: '/api/threads/{threadId}/window', answer: windowInfo },
  findMentions: { method: 'get', path: '/api/mentions', answer: z.looseObject({ files: z.array(mentionInfo) }) },
  startComparison: { method: 'post', path: '/api/comparisons', body: comparisonBody, answer: comparisonInfo },
  listWorktrees: {
    method: 'get',
    path: '/api/worktrees',
    answer: z.looseObject({ worktrees: z.array(worktreeInfo) }),
  },
  getWorktree: { method: 'get', path: worktreePath, answer: worktreeInfo },
  readPatch: { method: 'get', path: `${worktreePath}/patch`, answer: patchInfo },
  keepWorktree: { method: 'post', path: `${worktreePath}/keep`, body: noFields, answer: keptInfo },
  removeWorktree: { method: 'delete', path: worktreePath },
  listSessions: { method: 'get', path: '/api/sessions', answer: z.looseObject({ sessions: z.array(sessionInfo) }) },
  importSession: {
    method: 'post',
    path: '/api/sessions/{sessionId}/import',
    body: sessionImportBody,
    answer: sessionImportInfo,
  },
  listProjects: { method: 'get', path: '/api/projects', answer: z.looseObject({ projects: z.array(projectInfo) }) },
  openProject: { method: 'post', path: '/api/projects', body: projectBody, answer: projectInfo },
  trustProject: { method: 'post', path: '/api/projects/trust', body: trustBody, answer: projectInfo },
  listFolders: { method: 'get', path: '/api/folders', answer: folderList },
  listProviders: { method: 'get', path: '/api/providers', answer: providers },
  storeProvider: { method: 'post', path: '/api/providers', body: modelProviderBody, answer: providers },
  testProvider: {
    method: 'post',
    path: '/api/providers/{providerId}/test',
    body: noFields,
    answer: modelProviderTest,
  },
  removeProvider: { method: 'delete', path: '/api/providers/{providerId}' },
  getRules: { method: 'get', path: '/api/rules', answer: rulesInfo },
  saveRule: { method: 'post', path: '/api/rules', body: savedRuleBody },
  removeRule: { method: 'delete', path: '/api/rules/{ruleId}' },
} as const satisfies Readonly<Record<string, HttpRoute>>;

export type HttpRoutes = typeof httpRoutes;
