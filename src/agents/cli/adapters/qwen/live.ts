import { acpChannel } from '../../channels/acp/channel.ts';
import type { LiveAdapter } from '../../contract/live-channel.ts';
import { qwenProfile } from './profile.ts';

/** Qwen Code over the Agent Client Protocol. */
export const qwenLive: LiveAdapter = {
  protocol: 'ACP',
  transport: 'stdio',
  abilities: {
    reason: 'next_prompt',
    rejectEndsTurn: true,
    revise: 'none',
    questions: true,
    plans: true,
    steer: 'joins',
    resume: true,
    fork: false,
    subagents: 'denied',
    parallelRequests: false,
    images: true,
    files: true,
    usage: true,
    cost: false,
    switchModel: false,
    switchMode: true,
    mcpServers: true,
  },
  modes: [
    { id: 'default', name: 'Ask', description: 'Asks before it changes files or runs commands' },
    { id: 'plan', name: 'Plan', description: 'Makes a plan, and changes nothing before it is approved' },
  ],
  command: ({ model, yolo, extraArgs = [] }) => ({
    args: [
      '--acp',
      ...(model === undefined ? [] : ['-m', model]),
      '--approval-mode',
      yolo === true ? 'yolo' : 'default',
      ...extraArgs,
    ],
  }),
  channel: (host, start) => acpChannel(qwenProfile, host, start),
};
