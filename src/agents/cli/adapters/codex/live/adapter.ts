import type { LiveAdapter } from '../../../contract/live-channel.ts';
import { CodexChannel } from './channel.ts';
import { codexLiveDifferences, codexLiveRecords, consumedRecords } from './records.ts';

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
  notes: [
    'It asks about every command that it does not know to be read-only, and about every change of files. Read-only commands, and commands that a rule in `CODEX_HOME/rules` allows, run without a question.',
    'Its answers have no field for a reason: the reason is sent into the turn just before the rejection.',
    'The input of a call cannot be revised.',
    'A message during a text stops the text, which is lost from its history; the turn goes on.',
    'A plan is decided after its turn: an approved plan is carried out in the mode `default`, in the same run.',
    'A turn is over when its subagents are over, too.',
  ],
  records: { ...codexLiveRecords, ...consumedRecords },
  differences: codexLiveDifferences,
  command: ({ extraArgs = [] }) => ({
    args: [
      // JSON-RPC over stdin and stdout.
      'app-server',
      // The tool that asks a person, also outside of plan mode.
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
