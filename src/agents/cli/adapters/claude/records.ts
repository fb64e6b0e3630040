import type { RecordRule } from '../../contract/cli-adapter.ts';

/** How the records of Claude Code are translated. */
export const claudeRecords: readonly RecordRule[] = [
  { record: '`system` `init`', becomes: '`session` with folder and model, once' },
  { record: '`system` `status`, `thinking_tokens`', becomes: 'nothing: consumed' },
  { record: '`system` `api_retry`', becomes: '`warning` with code `api_retry`' },
  { record: '`system` `permission_denied`', becomes: '`warning` with code `permission_denied`' },
  { record: '`system` `task_started` of an agent', becomes: 'the start of the run of the subagent' },
  { record: '`system` `task_notification` of an agent', becomes: 'the end of the run of the subagent' },
  { record: '`system` of another subtype', becomes: '`unknown`, in the run of the subagent that it is about' },
  { record: '`assistant`, text', becomes: '`text`; the blocks of one message are one message of the activity' },
  { record: '`assistant`, thinking', becomes: '`reasoning`; redacted thinking is consumed' },
  { record: '`assistant`, tool use', becomes: '`tool_call`; `unknown` when malformed' },
  {
    record: '`assistant` with an API error',
    becomes: '`error`: fatal when the run ends by it, which `result` repeats',
  },
  { record: '`assistant` and `user` with `parent_tool_use_id`', becomes: 'events of the run of the subagent' },
  {
    record: '`user`, tool result',
    becomes:
      '`tool_result` of the one call that has its id, with the end of the run of a subagent, or the `tasks` after `TodoWrite`, `TaskCreate` or `TaskUpdate`; a read without a call is recovered; else `unknown`',
  },
  { record: '`user`, text', becomes: 'nothing: an echoed prompt or injected text is consumed' },
  { record: '`rate_limit_event`', becomes: '`warning` with code `rate_limit`, unless the status is `allowed`' },
  {
    record: '`result`',
    becomes:
      '`usage` of the agent, with the cost of all; at the end `usage` of its subagents, when `modelUsage` reports it; the fatal `error` when it failed',
  },
  {
    record: '`stream_event`',
    becomes: '`text` and `reasoning` as they stream; what the whole message repeats is not repeated',
  },
  { record: 'anything else', becomes: '`unknown`' },
];
