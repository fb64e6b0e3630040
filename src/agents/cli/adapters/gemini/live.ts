import { acpRecords } from '../../channels/acp/acp-records.ts';
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
  notes: [
    'The mode `default` is set and verified; `autoEdit` and `yolo` only when everything is allowed.',
    'Its clean-up of sessions deletes a session that was resumed, together with the empty recording that a resume leaves: such recordings are removed before it starts.',
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
