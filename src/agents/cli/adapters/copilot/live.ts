import type { ToolOutput } from '../../../../events/tools.ts';
import { acpLive } from '../../channels/acp/acp-adapter.ts';
import { toOutput } from '../../channels/acp/call-content.ts';
import { nestedSubagents } from '../../channels/acp/nested-subagents.ts';
import { acpProfile, type CallFields } from '../../channels/acp/profile.ts';
import { toList, toNumber, toRecord, toText } from '../../shared/wire-value.ts';

const modes = 'https://agentclientprotocol.com/protocol/session-modes';

/** The tools by an argument that only they have: the name is not sent. */
const toolOfArgument: readonly (readonly [string, string])[] = [
  ['command', 'bash'],
  ['file_text', 'create'],
  ['old_str', 'edit'],
  ['agent_type', 'task'],
];

/** The Agent Client Protocol profile of Copilot CLI: how it differs from the defaults. */
export const copilotProfile = acpProfile({
  name: 'Copilot CLI',
  modes: { ask: `${modes}#agent`, yolo: `${modes}#agent`, unsafe: [`${modes}#autopilot`] },
  askOptions: [{ id: 'allow_all', ask: 'off', yolo: 'on' }],
  switchModel: 'start',
  calls: {
    announcesWhole: true,
    nameOf: toolName,
    shellTool: 'bash',
    reasonOf: (_, input) => toText(input['description']),
    outputOf: toolOutput,
  },
  subagents: context =>
    nestedSubagents(context, { tool: 'task', agentOf: input => toText(toRecord(input)?.['agent_type']) }),
  mayFail: text => text.startsWith('Error: '),
  countsProcess: true,
});

/** GitHub Copilot CLI over the Agent Client Protocol. */
export const copilotLive = acpLive(copilotProfile, {
  abilities: { questions: false, subagents: 'asked', switchModel: false, switchMode: true },
  command: ({ model, extraArgs = [] }) => ({
    args: ['--acp', ...(model === undefined ? [] : ['--model', model]), ...extraArgs],
  }),
});

function toolName({ title, kind, rawInput }: CallFields): string | undefined {
  const input = toRecord(rawInput) ?? {};
  const known = toolOfArgument.find(([argument]) => argument in input)?.[1];
  if (known !== undefined) return known;
  if (kind === 'read' && 'path' in input) return 'view';
  return kind === undefined || kind === 'other' ? title : kind;
}

function toolOutput(call: CallFields): ToolOutput {
  const { code, message, contents } = toRecord(call.rawOutput) ?? {};
  if (call.status === 'failed' && (code === 'rejected' || code === 'denied'))
    return { status: 'denied', reason: toText(message) ?? 'It was not allowed.' };
  const [exitCode] = toList(contents).flatMap(item => toNumber(toRecord(item)?.['exitCode']) ?? []);
  const output = toOutput(call);
  return 'context' in output && exitCode !== undefined ? { ...output, result: { exitCode } } : output;
}
