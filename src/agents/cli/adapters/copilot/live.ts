import { acpRecords } from '../../channels/acp/acp-records.ts';
import { acpChannel } from '../../channels/acp/channel.ts';
import type { LiveAdapter } from '../../contract/live-channel.ts';
import { copilotProfile } from './profile.ts';

/** GitHub Copilot CLI over the Agent Client Protocol. */
export const copilotLive: LiveAdapter = {
  protocol: 'ACP',
  transport: 'stdio',
  abilities: {
    reason: 'next_prompt',
    rejectEndsTurn: true,
    revise: 'none',
    questions: false,
    plans: false,
    steer: 'queued',
    resume: true,
    fork: false,
    subagents: 'asked',
    parallelRequests: true,
    images: true,
    files: true,
    usage: true,
    cost: false,
    switchModel: false,
    switchMode: true,
    mcpServers: true,
  },
  notes: [
    'The option `allow_all` is set to `off` and verified; the mode `autopilot` only when everything is allowed.',
    'A rejected call ends its turn: the reason is the next prompt.',
    'Requests of subagents name no subagent: they belong to the one that works at the time.',
    'Tools for questions and for leaving the plan mode are not offered to the model over this channel.',
    'The model is chosen when the program starts.',
    'A second prompt would stop the first: a message during a turn waits for its end.',
  ],
  records: {
    ...acpRecords,
    '`session/update` `agent_message_chunk` that begins with `Error: `':
      '`error` when the turn ends after it without usage: Copilot reports failures as text; else `text`',
    'usage in the answer to `session/prompt`':
      '`usage` of the turn: it counts the process, and what came before is subtracted',
  },
  differences: {},
  command: ({ model, extraArgs = [] }) => ({
    args: ['--acp', ...(model === undefined ? [] : ['--model', model]), ...extraArgs],
  }),
  channel: (host, start) => acpChannel(copilotProfile, host, start),
};
