import { defined } from '../../../../base/defined.ts';
import type { SessionMcpServers } from '../../../contract/host.ts';
import type { ChannelHost, LiveStart, SessionProblem } from '../../contract/live-channel.ts';
import { toList, toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import type { RpcConnection } from '../json-rpc.ts';
import type { AcpProfile } from './profile.ts';
import type { SessionSettings } from './session-settings.ts';
import { failureText } from './turn.ts';

interface OpenOptions {
  readonly rpc: RpcConnection;
  readonly profile: AcpProfile;
  readonly start: LiveStart;
  readonly settings: SessionSettings;
  readonly host: ChannelHost;
  /** Calls the callback once the history of a loaded session has been received. */
  readonly untilHistoryOver: (proceed: () => void) => void;
  readonly opened: (accepts: { readonly images: boolean; readonly files: boolean }) => void;
  readonly failed: (problem: SessionProblem) => void;
  /** Reports a problem that does not prevent the session from opening. */
  readonly warned: (problem: SessionProblem) => void;
}

/** The time after which a history counts as complete without an end marker. */
const historyMs = 2_000;

/** Opens a session: handshake, session, ask policy. Passes the outcome to the callback. */
export function openSession(options: OpenOptions): void {
  const { rpc, profile, failed } = options;
  const params = {
    protocolVersion: 1,
    clientInfo: { name: 'singletree', title: 'Singletree', version: '1' },
    clientCapabilities: {
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      elicitation: { form: {} },
    },
  };
  rpc.call('initialize', params, answer => {
    if (answer.error !== undefined)
      return failed({
        message: `${profile.name} refused the handshake: ${failureText(answer.error)}`,
        code: 'handshake',
      });
    const { protocolVersion } = answer.result;
    if (protocolVersion !== 1) {
      const message = `${profile.name} speaks version ${String(protocolVersion)} of the Agent Client Protocol; version 1 is expected.`;
      return failed({ message, code: 'handshake' });
    }
    startSession(options, toRecord(answer.result['agentCapabilities']) ?? {});
  });
}

function startSession(options: OpenOptions, capabilities: WireRecord): void {
  const { rpc, profile, start, settings, failed, warned, host } = options;
  const { cwd, sessionId } = start;
  const servers = Object.entries(start.mcpServers ?? {});
  const takesHttp = toRecord(capabilities['mcpCapabilities'])?.['http'] === true;
  const passed = servers.filter(([, server]) => takesHttp || !('url' in server));
  const open = { cwd, mcpServers: passed.map(describeServer) };
  if (passed.length < servers.length) {
    const names = servers.flatMap(server => (passed.includes(server) ? [] : [server[0]]));
    const message = `${profile.name} takes no MCP servers over HTTP: ${names.join(', ')} is not used.`;
    warned({ message, code: 'mcp_server_not_used' });
  }
  if (sessionId === undefined)
    return rpc.call('session/new', open, answer => {
      if (answer.error === undefined) verify(options, capabilities, answer.result);
      else
        failed({ message: `${profile.name} started no session: ${failureText(answer.error)}`, code: 'session_failed' });
    });
  const isFork = start.fork === true;
  if (isFork ? profile.canFork !== true : capabilities['loadSession'] !== true) {
    const message = `${profile.name} cannot ${isFork ? 'fork' : 'resume'} a session.`;
    return failed({ message, code: isFork ? 'not_supported' : 'session_unknown' });
  }
  const load = () =>
    rpc.call(isFork ? 'session/fork' : 'session/load', { sessionId: settings.sessionId, ...open }, answer => {
      if (answer.error !== undefined) {
        const message = `${profile.name} did not ${isFork ? 'fork' : 'resume'} the session ${sessionId}: ${failureText(answer.error)}`;
        return failed({ message, code: 'session_unknown' });
      }
      const proceed = once(() => verify(options, capabilities, answer.result));
      if (profile.historyFollowsLoad !== true || isFork) return proceed();
      options.untilHistoryOver(proceed);
      host.after(historyMs, proceed);
    });
  settings.sessionId = sessionId;
  if (profile.isSessionName?.(sessionId) === true) {
    if (!isFork) settings.sessionName = sessionId;
    return findTitled(rpc, sessionId, id => {
      settings.sessionId = id ?? sessionId;
      load();
    });
  }
  const delayMs = profile.loadDelayMs?.({ sessionId, environment: start.environment }) ?? 0;
  if (delayMs === 0) return load();
  host.waiting?.(
    `${profile.name} would lose the session if it were resumed now: it is resumed in ${Math.ceil(delayMs / 1_000)} s.`,
    delayMs,
  );
  host.after(delayMs, load);
}

/** An MCP server in the words of the protocol. */
function describeServer([name, server]: readonly [string, SessionMcpServers[string]]): object {
  const toList = (record: Readonly<Record<string, string>> = {}) =>
    Object.entries(record).map(([key, value]) => ({ name: key, value }));
  if ('url' in server) return { type: 'http', name, url: server.url, headers: toList(server.headers) };
  const { command, args = [], env } = server;
  return { name, command, args, env: toList(env) };
}

/** Passes the id of the session with a title to the callback; undefined if no session has it. */
function findTitled(
  rpc: RpcConnection,
  title: string,
  found: (sessionId: string | undefined) => void,
  cursor?: string,
): void {
  rpc.call('session/list', defined({ cursor }), answer => {
    const { sessions, nextCursor } = answer.error === undefined ? answer.result : {};
    const session = toList(sessions).find(value => toRecord(value)?.['title'] === title);
    const next = toText(nextCursor);
    if (session !== undefined || next === undefined) found(toText(toRecord(session)?.['sessionId']));
    else findTitled(rpc, title, found, next);
  });
}

/** Sets the mode and the options under which the program asks. */
function verify(options: OpenOptions, capabilities: WireRecord, result: WireRecord): void {
  const { profile, start, settings, opened, failed } = options;
  settings.read(result);
  if (settings.sessionId === '')
    return failed({ message: `${profile.name} named no session.`, code: 'session_failed' });
  const wanted = { mode: start.mode, model: start.model };
  settings.apply(wanted, problem => {
    if (problem !== undefined) return failed(problem);
    const { image, embeddedContext } = toRecord(capabilities['promptCapabilities']) ?? {};
    opened({ images: image === true, files: embeddedContext === true });
  });
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) action();
    isDone = true;
  };
}
