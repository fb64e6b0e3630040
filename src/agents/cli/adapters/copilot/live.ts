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
  command: ({ model, extraArgs = [] }) => ({
    args: ['--acp', ...(model === undefined ? [] : ['--model', model]), ...extraArgs],
  }),
  channel: (host, start) => acpChannel(copilotProfile, host, start),
};
