import type { RecordRules } from '../../contract/record-rules.ts';

/** How the records of Claude Code are translated. */
export const claudeRecords: RecordRules = {
  '`system` `init`':
    '`session` with folder and model, once; `model_context` with the names of tools and the settings, once per change',
  '`system` `status`, `thinking_tokens`': 'nothing: consumed',
  '`system` `api_retry`': '`warning` with code `api_retry`',
  '`system` `permission_denied`': '`warning` with code `permission_denied`',
  '`system` `task_started` of an agent': 'the start of the run of the subagent',
  '`system` `task_notification` of an agent': 'the end of the run of the subagent',
  '`system` of another subtype': '`unknown`, in the run of the subagent that it is about',
  '`assistant`, text': '`text`, final with the last block: the blocks of one record are one message of the activity',
  '`assistant`, thinking': '`reasoning`; redacted thinking is consumed',
  '`assistant`, tool use': '`tool_call`; `unknown` when malformed',
  '`assistant` with an API error': '`error`, which `result` repeats; in a subagent the reason that it fails',
  '`assistant` and `user` with `parent_tool_use_id`': 'events of the run of the subagent',
  '`user`, tool result':
    '`tool_result` of the one call that has its id, with the end of the run of a subagent, or the `tasks` after `TodoWrite`, `TaskCreate` or `TaskUpdate`; a read without a call is recovered; else `unknown`. The result of an edit has its `patch`, with line numbers',
  '`user`, text': 'nothing: an echoed prompt or injected text is consumed',
  '`rate_limit_event`': '`warning` with code `rate_limit`, unless the status is `allowed`',
  '`result`':
    '`usage` of the agent, with the cost of all; at the end `usage` of its subagents, when `modelUsage` reports it; `error` when it failed',
  '`stream_event`': '`text` and `reasoning` as they stream; what the whole message repeats is not repeated',
};
