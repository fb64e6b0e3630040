import { acpChannel } from '../../../channels/acp/channel.ts';
import type { LiveAdapter } from '../../../contract/live-channel.ts';
import { clineProfile } from './profile.ts';
import { clineProvider } from './providers-file.ts';

/** Cline over the Agent Client Protocol. */
export const clineLive: LiveAdapter = {
  protocol: 'ACP',
  transport: 'stdio',
  abilities: {
    reason: 'next_prompt',
    rejectEndsTurn: false,
    revise: 'none',
    questions: false,
    plans: false,
    steer: 'queued',
    resume: true,
    fork: false,
    subagents: 'off',
    parallelRequests: false,
    images: false,
    usage: false,
    cost: false,
    switchModel: true,
    switchMode: true,
    mcpServers: true,
  },
  command: ({ yolo, environment, extraArgs = [] }) => {
    const { provider, apiKey } = clineProvider(environment);
    return {
      args: ['--acp', '--auto-approve', yolo === true ? 'true' : 'false', ...extraArgs],
      env: {
        // Otherwise it would run in a shared process that outlives the session, and update itself.
        CLINE_SESSION_BACKEND_MODE: 'local',
        CLINE_NO_AUTO_UPDATE: '1',
        // Without both it only accepts its own accounts.
        ...(provider !== undefined && {
          CLINE_PROVIDER: provider,
          CLINE_API_KEY: environment['CLINE_API_KEY'] ?? apiKey ?? 'configured',
        }),
      },
    };
  },
  channel: (host, start) => acpChannel(clineProfile(clineProvider(start.environment).model), host, start),
};
