import type { ToolOutput } from '../../../../events/tools.ts';
import { acpLive } from '../../channels/acp/acp-adapter.ts';
import { contentText } from '../../channels/acp/call-content.ts';
import { acpProfile, type CallFields, type SubagentRules } from '../../channels/acp/profile.ts';
import { sessionNamePrefix } from '../../contract/cli-command.ts';
import type { LineContext } from '../../shared/line-context.ts';
import { toList, toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import { GooseSteering } from './steering.ts';
import { GooseSubagents } from './subagents.ts';
import { declinedCall, readFailure, readToolOutput } from './wire.ts';
import { defined } from '../../../../base/defined.ts';

/** Extensions whose tools have no prefix. */
const unprefixed: ReadonlySet<unknown> = new Set(['developer', 'summon', 'analyze', 'skills']);

/** The Agent Client Protocol profile of Goose: how it differs from the defaults. */
export const gooseProfile = acpProfile({
  name: 'Goose',
  modes: { ask: 'approve', yolo: 'auto', unsafe: ['auto', 'smart_approve'] },
  switchModel: 'config_option',
  calls: { nameOf: toolName, shellTool: 'shell', progressOf: liveOutput, outputOf: toolOutput },
  refused: new Set(['delegate']),
  subagents: gooseSubagents,
  messageIdOf: meta => toText(toRecord(meta['goose'])?.['messageId']),
  failureOf: readFailure,
  steering: channel => new GooseSteering(channel),
  canFork: true,
  isSessionName: sessionId => sessionId.startsWith(sessionNamePrefix),
});

/** Goose over the Agent Client Protocol. */
export const gooseLive = acpLive(gooseProfile, {
  abilities: {
    reason: 'steer',
    rejectEndsTurn: false,
    steer: 'joins',
    fork: true,
    subagents: 'off',
    parallelRequests: false,
    files: false,
    switchMode: true,
  },
  command: ({ model, yolo, extraArgs = [] }) => ({
    args: ['acp', '--with-builtin', 'developer', ...extraArgs],
    env: { GOOSE_MODE: yolo === true ? 'auto' : 'approve', ...defined({ GOOSE_MODEL: model }) },
  }),
});

function toolName({ title, meta }: CallFields): string | undefined {
  const call = toRecord(toRecord(meta['goose'])?.['toolCall']);
  const name = toText(call?.['toolName']) ?? title?.split(' · ')[0];
  const extension = toText(call?.['extensionName']);
  if (name === undefined || extension === undefined || name.includes('__') || unprefixed.has(extension)) return name;
  return `${extension}__${name}`;
}

function toolOutput({ status, content, rawOutput }: CallFields): ToolOutput {
  const text = contentText(content) ?? '';
  if (declinedCall.test(text)) return { status: 'denied', reason: text };
  const value = { content: text, structuredContent: rawOutput, isError: status === 'failed' };
  return readToolOutput({ toolResult: { status: 'success', value } }).output;
}

/** The output of a running command. */
function liveOutput(update: WireRecord): string | undefined {
  const { type, params } = notificationIn(update) ?? {};
  if (type !== 'live_output') return undefined;
  return toList(toRecord(params)?.['chunks'])
    .map(chunk => toText(toRecord(chunk)?.['output']) ?? '')
    .join('');
}

function notificationIn(update: WireRecord): WireRecord | undefined {
  return toRecord(toRecord(update['_meta'])?.['toolNotification']);
}

function gooseSubagents(context: LineContext): SubagentRules {
  const subagents = new GooseSubagents(context);
  return {
    runOf: () => undefined,
    isOpen: () => false,
    called: (rawId, call) => subagents.called(rawId, call),
    answered: (rawId, call, output) => subagents.answered(rawId, call, { output, meta: {} }),
    progress(rawId, update) {
      const notification = notificationIn(update);
      if (notification === undefined || notification['type'] === 'live_output') return false;
      subagents.notified(rawId, update);
      return true;
    },
    flush: () => subagents.flush(),
  };
}
