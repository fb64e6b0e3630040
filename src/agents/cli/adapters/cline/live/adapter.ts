import { acpRecords } from '../../../channels/acp/acp-records.ts';
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
  notes: [
    'It takes images and does not send them to the model: they are left out with a warning.',
    'It asks when `auto_approve` is off: the flag is given and the option verified.',
    'Subagents run everything unasked, so `spawn_agent` and teammates are refused unless everything is allowed.',
    'It uses the provider that `cline auth` configured last, and its model: the model is set with `session/set_model`, because it would otherwise be gpt-4o.',
    'It has no tool for questions, no plan to approve and reports no usage.',
    'A message during a turn waits for its end.',
  ],
  records: acpRecords,
  differences: {
    usage: 'none; print mode has it for each model call',
    step_start: 'a step begins after the results of calls, because messages have no ids',
    tool_start: 'emitted when the call is allowed',
    text: '`final` only at the end of the turn',
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
