import type { ChannelHost, LiveStart } from '../../../contract/live-channel.ts';
import { recordOf, textOf, type WireRecord } from '../../../shared/wire-value.ts';
import type { RpcConnection } from './rpc.ts';
import { defined } from '../../../../../events/defined.ts';

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
    if ('error' in answer) {
      failed({ message: `Codex did not start its session: ${answer.error}`, code: 'agent_failed' });
      return;
    }
    rpc.notify('initialized');
    const { method, params } = opening(start);
    rpc.call(method, params, opening => {
      if ('error' in opening) failed(refused(opening.error, start));
      else verify(opening.result, start, { opened, failed });
    });
  });
}

function opening({ cwd, model, sessionId, fork, yolo }: LiveStart): { method: string; params: object } {
  const settings = { cwd, ...defined({ model }), ...(yolo === true ? yoloSettings : askingSettings) };
  if (sessionId === undefined) return { method: 'thread/start', params: settings };
  // The turns of the session are in our log.
  const params = { threadId: sessionId, ...settings, excludeTurns: true };
  return { method: fork === true ? 'thread/fork' : 'thread/resume', params };
}

function refused(error: string, { sessionId }: LiveStart): { message: string; code: string } {
  if (sessionId === undefined) return { message: `Codex did not open a session: ${error}`, code: 'agent_failed' };
  return { message: `Codex cannot resume session "${sessionId}": ${error}`, code: 'session_unknown' };
}

function verify(
  result: WireRecord,
  start: LiveStart,
  { opened, failed }: { opened: (session: CodexSession) => void; failed: ChannelHost['failed'] },
): void {
  const threadId = textOf(recordOf(result['thread'])?.['id']);
  if (threadId === undefined) {
    failed({ message: 'Codex opened a session without an id.', code: 'agent_failed' });
    return;
  }
  const policy = result['approvalPolicy'];
  const sandbox = recordOf(result['sandbox'])?.['type'];
  const reviewer = result['approvalsReviewer'] ?? 'user';
  const isAsking =
    policy === 'untrusted' && reviewer === 'user' && (sandbox === 'workspaceWrite' || sandbox === 'readOnly');
  if (start.yolo !== true && !isAsking) {
    const given = JSON.stringify({ approvalPolicy: policy, approvalsReviewer: reviewer, sandbox });
    const message =
      `Codex did not accept the policy to ask before it acts: it reports ${given}, expected approvalPolicy "untrusted", ` +
      'reviewer "user" and sandbox "workspaceWrite". Remove the setting that overrides it, or use --yolo to run without questions.';
    failed({ message, code: 'policy_not_accepted' });
    return;
  }
  opened({ threadId, model: textOf(result['model']) });
}
