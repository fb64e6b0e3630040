import type { LiveChannel } from '../../../src/agents/cli/contract/live-channel.ts';
import { claudeLive } from '../../../src/agents/cli/adapters/claude/live/adapter.ts';
import { toList, toRecord, toText } from '../../../src/agents/cli/shared/wire-value.ts';
import {
  type MessageIds,
  type RecordedLine,
  type RecordingHost,
  replayChannel,
  type Replayed,
} from '../../support/recorded-channel.ts';

/** Our requests have a `request_id`, our messages a `uuid`; answers and confirmations of the program refer to them. */
const ids: MessageIds = {
  idOf: message => {
    const record = toRecord(message);
    if (record?.['type'] === 'control_request') return toText(record['request_id']);
    return record?.['type'] === 'user' ? toText(record['uuid']) : undefined;
  },
  withId: (message, ours) => {
    const record = toRecord(message);
    const response = toRecord(record?.['response']);
    if (record?.['type'] === 'control_response')
      return { ...record, response: { ...response, request_id: ours(String(response?.['request_id'])) } };
    const request = toRecord(record?.['request']);
    if (request?.['callback_id'] === 'hook_0')
      return { ...record, request: { ...request, callback_id: 'singletree-check' } };
    if (record?.['isReplay'] === true) return { ...record, uuid: ours(String(record['uuid'])) };
    return message;
  },
};

const driven: ReadonlySet<unknown> = new Set(['initialize', 'interrupt', 'set_model', 'set_permission_mode']);

/** Replays a recording with the commands that the recorded client's messages correspond to. */
export function replayClaude(
  recording: readonly RecordedLine[],
  start: { readonly mode?: string; readonly sessionId?: string; readonly fork?: boolean } = {},
): Replayed {
  let runs = 0;
  let steered = 0;
  const settings: { model?: string; mode?: string } = { ...(start.mode !== undefined && { mode: start.mode }) };
  const drive = (message: unknown, channel: LiveChannel, host: RecordingHost): void => {
    const record = toRecord(message) ?? {};
    const request = toRecord(record['request']);
    if (record['type'] === 'user') {
      const [block] = toList(toRecord(record['message'])?.['content']);
      const content = String(toRecord(block)?.['text']);
      if (runs > host.ends.length) channel.steer({ id: `steer-${++steered}`, content });
      else channel.prompt({ runId: `run-${++runs}`, content, ...settings });
    } else if (record['type'] === 'control_response') answer(record, channel, host);
    else if (request?.['subtype'] === 'interrupt') channel.interrupt();
    else if (request?.['subtype'] === 'set_model') settings.model = String(request['model']);
    else if (request?.['subtype'] === 'set_permission_mode') settings.mode = String(request['mode']);
  };
  return replayChannel({
    adapter: claudeLive,
    start: { model: 'claude-sonnet-4-5', ...start },
    recording: withoutStopHook(recording),
    ids,
    drive,
    skip: (message, host) => {
      const answered = toRecord(toRecord(message)?.['response'])?.['request_id'];
      if (host.withdrawn.some(({ id }) => id === answered)) return true;
      const request = toRecord(toRecord(message)?.['request']);
      return request !== undefined && (!driven.has(request['subtype']) || request['mode'] === 'bypassPermissions');
    },
    normalise,
  });
}

function answer(record: Readonly<Record<string, unknown>>, channel: LiveChannel, host: RecordingHost): void {
  const response = toRecord(record['response']);
  const id = String(response?.['request_id']);
  const given = toRecord(response?.['response']);
  const asked = host.requests.filter(request => request.id === id || request.id.startsWith(`${id}#`));
  const input = toRecord(given?.['updatedInput']);
  const answers = toRecord(input?.['answers']);
  for (const request of asked) {
    const hook = toRecord(given?.['hookSpecificOutput']);
    if (hook !== undefined)
      channel.answer(request.id, {
        outcome: hook['permissionDecision'] === 'deny' ? 'reject' : 'ask',
        feedback: String(hook['permissionDecisionReason']),
      });
    else if (given?.['behavior'] === 'deny')
      channel.answer(request.id, { outcome: 'reject', feedback: String(given['message']) });
    else if (request.kind === 'question')
      channel.answer(request.id, { outcome: 'answer', answer: String(answers?.[request.question]) });
    else
      channel.answer(request.id, {
        outcome: 'approve',
        ...(request.kind === 'permission' && input !== undefined && { input }),
      });
  }
}

/** Without ids of our side, and without what our side never sends: rules for the program's own settings. */
function normalise(message: unknown): unknown {
  const record = toRecord(message);
  const { hooks: ___, ...request } = toRecord(record?.['request']) ?? {};
  if (record?.['type'] === 'control_request') return { ...record, request_id: 'ours', request };
  if (record?.['type'] === 'user') return { ...record, uuid: 'ours' };
  const response = toRecord(record?.['response']);
  const { updatedPermissions: _, interrupt: __, ...given } = toRecord(response?.['response']) ?? {};
  return { ...record, response: { ...response, response: given } };
}

/** Without the calls of a hook that only the recorded client had. */
function withoutStopHook(recording: readonly RecordedLine[]): readonly RecordedLine[] {
  const called = recording.flatMap(({ line }) =>
    line.includes('"hook_1","input"') ? [JSON.parse(line) as unknown] : [],
  );
  const ids = called.map(message => String(toRecord(message)?.['request_id']));
  return recording.filter(({ line }) => !ids.some(id => line.includes(id)));
}
