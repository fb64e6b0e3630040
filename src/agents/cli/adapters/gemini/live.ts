import { acpChannel } from '../../channels/acp/channel.ts';
import type { LiveAdapter } from '../../contract/live-channel.ts';
import { geminiProfile } from './profile.ts';
import { loadDelay, readPlanFile, removeEmptyRecordings } from './session-files.ts';

/** Gemini CLI over the Agent Client Protocol. */
export const geminiLive: LiveAdapter = {
  protocol: 'ACP',
  transport: 'stdio',
  abilities: {
    reason: 'next_prompt',
    rejectEndsTurn: false,
    revise: 'none',
    questions: false,
    plans: true,
    steer: 'queued',
    resume: true,
    fork: false,
    subagents: 'denied',
    parallelRequests: false,
    images: true,
    files: true,
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
  command: ({ model, extraArgs = [] }) => ({
    args: ['--acp', '--skip-trust', ...(model === undefined ? [] : ['-m', model]), ...extraArgs],
  }),
  prepare: ({ sessionId, environment }) => {
    if (sessionId !== undefined) removeEmptyRecordings(sessionId, environment);
  },
  channel: (host, start) =>
    acpChannel(
      {
        ...geminiProfile,
        loadDelayMs: sessionId => loadDelay(sessionId, start.environment, Date.now()),
        readPlan: (path, sessionId) => readPlanFile(path, sessionId, start.environment),
      },
      host,
      start,
    ),
};
