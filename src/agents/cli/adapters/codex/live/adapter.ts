import type { LiveAdapter } from '../../../contract/live-channel.ts';
import { CodexChannel } from './channel.ts';

/** The interactive channel of Codex: `codex app-server` over stdio. */
export const codexLive: LiveAdapter = {
  protocol: 'app-server',
  transport: 'stdio',
  abilities: {
    reason: 'answer',
    rejectEndsTurn: false,
    revise: 'none',
    questions: true,
    plans: true,
    steer: 'joins',
    resume: true,
    fork: true,
    subagents: 'asked',
    parallelRequests: true,
    images: true,
    usage: true,
    cost: false,
    switchModel: true,
    switchMode: true,
    mcpServers: true,
  },
  modes: [
    { id: 'default', name: 'Ask', description: 'Asks before it changes files or runs commands' },
    { id: 'plan', name: 'Plan', description: 'Makes a plan, and changes nothing before it is approved' },
  ],
  command: ({ extraArgs = [] }) => ({
    args: [
      // JSON-RPC over stdin and stdout.
      'app-server',
      // Enables the tool that asks the user, also outside of plan mode.
      '-c',
      'features.default_mode_request_user_input=true',
      // No warning about that feature.
      '-c',
      'suppress_unstable_features_warning=true',
      ...extraArgs,
    ],
  }),
  channel: (host, start) => new CodexChannel(host, start),
};
