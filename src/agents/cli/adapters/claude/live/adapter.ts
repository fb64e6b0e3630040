import type { LiveAdapter } from '../../../contract/live-channel.ts';
import { claudeRecords } from '../records.ts';
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
  records: {
    ...claudeRecords,
    '`control_request` `can_use_tool`':
      'a request for permission, with its `tool_call` when its record has not arrived; the questions of `AskUserQuestion`; the plan of `ExitPlanMode`',
    '`control_request` `hook_callback`':
      'a check by the rules, before the call: denied, asked about, or left to the program',
    '`control_request` of another subtype': '`unknown`, and refused',
    '`control_cancel_request`': 'the end of a request: its relay is closed',
    '`control_response`': 'nothing: the answer to a request of ours; `warning` when it refuses a model or a mode',
    '`command_lifecycle`, `keep_alive`': 'nothing: consumed',
    '`user` with `isReplay`': 'the message of a person has reached the model: `user`',
    '`result`':
      'as in print mode; the end of the turn, unless a subagent works in the background or a message was not read',
  },
  differences: {
    '`text`, `reasoning`': 'arrive in fragments as they are written; print mode has each block whole',
    '`tool_start`': 'before an approved call runs; print mode has none',
    '`relay`, `relay_resolved`': 'what a person is asked; print mode denies it',
    '`user`': 'messages of people during a turn; print mode takes none',
    '`tool_result`': 'a call that a person or a rule rejected has the status `denied` in every version',
  },
  notes: [
    'Files inside the folder are read, and commands that only read are run, without asking, unless a rule denies or asks.',
    'A message that arrives while it writes text is read after that text; during a tool it joins the turn.',
    'After a revised input its own history keeps the original call: it is informed by a message.',
    'It may enter its plan mode by itself; leaving it is asked about as a plan.',
    'Its permission suggestions are never returned: what is allowed for longer is remembered by Singletree.',
  ],
  command: claudeLiveCommand,
  channel: (host, start) => new ClaudeChannel(host, start),
};
