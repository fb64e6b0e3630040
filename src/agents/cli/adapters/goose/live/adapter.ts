import { acpRecords } from '../../../channels/acp/acp-records.ts';
import { acpChannel } from '../../../channels/acp/channel.ts';
import type { LiveAdapter } from '../../../contract/live-channel.ts';
import { gooseProfile } from './profile.ts';
import { defined } from '../../../../../events/defined.ts';

/** Goose over the Agent Client Protocol. */
export const gooseLive: LiveAdapter = {
  protocol: 'ACP',
  transport: 'stdio',
  abilities: {
    reason: 'steer',
    rejectEndsTurn: false,
    revise: 'none',
    questions: true,
    plans: false,
    steer: 'joins',
    resume: true,
    fork: true,
    subagents: 'off',
    parallelRequests: false,
    images: true,
    usage: true,
    cost: false,
    switchModel: true,
    switchMode: true,
    mcpServers: true,
  },
  notes: [
    'Its default mode asks for nothing: `GOOSE_MODE=approve` is set, and the answer to `session/new` is verified.',
    'Subagents run everything unasked, so `delegate` is refused unless everything is allowed.',
    'Tools that its own `permission.yaml` always allows are not asked about; nothing is ever added to it.',
    'Questions come only from MCP servers: Goose itself has no tool for them. It has no plan mode.',
  ],
  records: {
    ...acpRecords,
    '`session/update` `agent_message_chunk` with an error text':
      '`error`: Goose reports failures as text and ends the turn normally',
    '`session/update` `tool_call_update` with a notification of a subagent': '`unknown`, in the run of the subagent',
  },
  differences: {
    usage: 'only the last model call of a turn is reported; print mode reports the sum',
    tool_progress: 'the output of a running command; print mode has none',
    tool_start: 'emitted when the call is allowed or reports something; print mode has none',
  },
  command: ({ model, yolo, extraArgs = [] }) => ({
    args: ['acp', '--with-builtin', 'developer', ...extraArgs],
    env: { GOOSE_MODE: yolo === true ? 'auto' : 'approve', ...defined({ GOOSE_MODEL: model }) },
  }),
  channel: (host, start) => acpChannel(gooseProfile, host, start),
};
