import { join } from 'node:path';
import { acpRecords } from '../../channels/acp/acp-records.ts';
import { acpChannel } from '../../channels/acp/channel.ts';
import type { LiveAdapter } from '../../contract/live-channel.ts';
import { geminiProfile } from './profile.ts';
import { loadDelay, readPlanFile } from './session-files.ts';
import { geminiSettings, settingsFile, settingsVariable } from './settings-file.ts';

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
  },
  notes: [
    'The mode `default` is set and verified; `autoEdit` and `yolo` only when everything is allowed.',
    'Its clean-up of sessions deletes sessions that have been resumed: it is switched off with system settings of the session.',
    'A session that is resumed in the minute of its creation would be emptied: the load waits for the next minute.',
    'A call has neither a name nor arguments: the name comes from its id, the command from its title, a change from its diff.',
    'A revised write would need access to files through the client, which fails for new files: it is not offered.',
    'The tool for questions is not offered to the model over this channel. Subagents are denied by its own policy.',
    'A second prompt would stop the first: a message during a turn waits for its end.',
  ],
  records: {
    ...acpRecords,
    '`session/update` `agent_message_chunk` with `[MODE_UPDATE]`': 'nothing: the mode has changed',
  },
  differences: {},
  command: ({ model, environment, folder, extraArgs = [] }) => ({
    args: ['--acp', '--skip-trust', ...(model === undefined ? [] : ['-m', model]), ...extraArgs],
    env: settingsVariable(join(folder, settingsFile)),
    files: { [settingsFile]: geminiSettings(environment) },
  }),
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
