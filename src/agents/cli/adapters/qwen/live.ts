import { acpRecords } from '../../channels/acp/acp-records.ts';
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
  notes: [
    'The approval mode `default` is set and verified; `auto-edit`, `auto` and `yolo` only when everything is allowed.',
    'A rejected call ends its turn: the reason is the next prompt.',
    'Subagents run in the background and cannot ask: their calls are denied by Qwen Code itself.',
    'A message during a turn is fetched by Qwen Code after the calls of a message; without calls it waits for the end of the turn.',
    'A revised write would need access to files through the client: it is not offered.',
    'The model is chosen when the program starts.',
  ],
  records: {
    ...acpRecords,
    '`session/update` `agent_message_chunk` with usage': '`usage` of one model call',
    '`session/request_permission` for questions': 'one question for each',
    '`craft/drainMidTurnQueue`': 'nothing: answered with the messages that wait for the turn',
    '`_qwencode/start_turn`, `_qwencode/end_turn`, `qwen/notify/session/…`': 'nothing: consumed',
  },
  differences: {},
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
