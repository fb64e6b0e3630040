import type { LiveAdapter } from '../../../contract/live-channel.ts';
import { ClaudeChannel } from './channel.ts';
import { claudeLiveCommand } from './command.ts';

/** The control protocol of Claude Code: JSON lines over stdin and stdout. */
export const claudeLive: LiveAdapter = {
  transport: 'stdio',
  abilities: {
    reason: 'answer',
    rejectEndsTurn: false,
    revise: 'all',
    questions: true,
    plans: true,
    steer: 'joins',
    resume: true,
    fork: true,
    subagents: 'asked',
    parallelRequests: true,
    images: true,
    files: true,
    usage: true,
    cost: true,
    switchModel: true,
    switchMode: true,
  },
  records: {},
  differences: {},
  notes: [
    'Files inside the folder are read, and commands that only read are run, without asking, unless a rule says otherwise.',
    'A message that arrives while it writes text is read after that text; during a tool it joins the turn.',
    'After a revised input its own history keeps the original call: it is informed by a message.',
    'It may enter its plan mode by itself; leaving it is asked about as a plan.',
    'Its permission suggestions are never returned: what is allowed for longer is remembered by Singletree.',
  ],
  command: claudeLiveCommand,
  channel: (host, start) => new ClaudeChannel(host, start),
};
