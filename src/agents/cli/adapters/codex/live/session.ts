import type { SessionMcpServers } from '../../../../contract/host.ts';
import type { ChannelHost, LiveStart } from '../../../contract/live-channel.ts';
import { toRecord, toText, type WireRecord } from '../../../shared/wire-value.ts';
import type { RpcConnection } from '../../../channels/json-rpc.ts';
import { defined } from '../../../../../base/defined.ts';

/** The session of a channel, as the program opened it. */
export interface CodexSession {
  readonly threadId: string;
  readonly model: string | undefined;
}

const askingSettings = { approvalPolicy: 'untrusted', approvalsReviewer: 'user', sandbox: 'workspace-write' };
const yoloSettings = { approvalPolicy: 'never', sandbox: 'danger-full-access' };

/** Opens a session, new or resumed, and verifies from the answer that the program asks before it acts. */
export function openSession(
  rpc: RpcConnection,
  start: LiveStart,
  { opened, failed }: { opened: (session: CodexSession) => void; failed: ChannelHost['failed'] },
): void {
  const clientInfo = { name: 'singletree', title: 'Singletree', version: '1' };
  const capabilities = { experimentalApi: true, requestAttestation: false };
  rpc.call('initialize', { clientInfo, capabilities }, answer => {
    if (answer.error !== undefined) {
      failed({ message: `Codex did not start its session: ${answer.error.message}`, code: 'agent_failed' });
      return;
    }
    rpc.notify('initialized');
    const { method, params } = opening(start);
    rpc.call(method, params, opening => {
      if (opening.error !== undefined) failed(refused(opening.error.message, start));
      else verify(opening.result, start, { opened, failed });
    });
  });
}

function opening(start: LiveStart): { method: string; params: object } {
  const { cwd, model, sessionId, sessionPath, fork, yolo, mcpServers } = start;
  const config = mcpServers && { mcp_servers: listServers(mcpServers) };
  const settings = { cwd, ...defined({ model, config }), ...(yolo === true ? yoloSettings : askingSettings) };
  if (sessionId === undefined) return { method: 'thread/start', params: settings };
  // The turns of the session are in our log.
  const params = { threadId: sessionId, ...defined({ path: sessionPath }), ...settings, excludeTurns: true };
  return { method: fork === true ? 'thread/fork' : 'thread/resume', params };
}

/** MCP servers in the words of its configuration. */
function listServers(servers: SessionMcpServers): object {
  const listed = Object.entries(servers).map(([name, server]) => {
    if ('url' in server) return [name, { url: server.url, ...defined({ http_headers: server.headers }) }] as const;
    const { command, args, env, cwd } = server;
    return [name, { command, ...defined({ args, env, cwd }) }] as const;
  });
  return Object.fromEntries(listed);
}

function refused(error: string, { sessionId }: LiveStart): { message: string; code: string } {
  // A session that it knows, and settings that it refuses: another session would not help.
  if (/approval.?policy|approvals.?reviewer|sandbox/i.test(error))
    return { message: `Codex refused the policy to ask before it acts: ${error}`, code: 'policy_not_accepted' };
  if (sessionId === undefined) return { message: `Codex did not open a session: ${error}`, code: 'agent_failed' };
  return { message: `Codex cannot resume session "${sessionId}": ${error}`, code: 'session_unknown' };
}

function verify(
  result: WireRecord,
  start: LiveStart,
  { opened, failed }: { opened: (session: CodexSession) => void; failed: ChannelHost['failed'] },
): void {
  const threadId = toText(toRecord(result['thread'])?.['id']);
  if (threadId === undefined) {
    failed({ message: 'Codex opened a session without an id.', code: 'agent_failed' });
    return;
  }
  const problem = start.yolo === true ? undefined : policyProblem(result, result['sandbox']);
  if (problem !== undefined) failed(problem);
  else opened({ threadId, model: toText(result['model']) });
}

/** Returns the problem of settings under which the program does not ask before it acts; undefined when it does. */
export function policyProblem(
  { approvalPolicy, approvalsReviewer: reviewer = 'user' }: WireRecord,
  sandboxPolicy: unknown,
): { readonly message: string; readonly code: string } | undefined {
  const sandbox = toRecord(sandboxPolicy)?.['type'];
  const isBounded = sandbox === 'workspaceWrite' || sandbox === 'readOnly';
  if (approvalPolicy === 'untrusted' && reviewer === 'user' && isBounded) return undefined;
  const given = JSON.stringify({ approvalPolicy, approvalsReviewer: reviewer, sandbox });
  const message =
    `Codex did not accept the policy to ask before it acts: it reports ${given}, expected approvalPolicy "untrusted", ` +
    'reviewer "user" and sandbox "workspaceWrite". Remove the setting that overrides it, or use --yolo to run without questions.';
  return { message, code: 'policy_not_accepted' };
}
