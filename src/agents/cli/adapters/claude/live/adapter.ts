import type { LiveAdapter } from '../../../contract/live-channel.ts';
import { ClaudeChannel } from './channel.ts';
import { claudeLiveCommand } from './command.ts';

/** The control protocol of Claude Code: JSON lines over stdin and stdout. */
export const claudeLive: LiveAdapter = {
  protocol: 'stream-json',
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
    mcpServers: true,
  },
  modes: [
    { id: 'default', name: 'Ask', description: 'Asks before it changes files or runs commands' },
    { id: 'acceptEdits', name: 'Accept edits', description: 'Changes files in its folder without asking' },
    { id: 'plan', name: 'Plan', description: 'Makes a plan, and changes nothing before it is approved' },
  ],
  command: claudeLiveCommand,
  channel: (host, start) => new ClaudeChannel(host, start),
};
