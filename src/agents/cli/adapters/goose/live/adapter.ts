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
  command: ({ model, yolo, extraArgs = [] }) => ({
    args: ['acp', '--with-builtin', 'developer', ...extraArgs],
    env: { GOOSE_MODE: yolo === true ? 'auto' : 'approve', ...defined({ GOOSE_MODEL: model }) },
  }),
  channel: (host, start) => acpChannel(gooseProfile, host, start),
};
