import type { RecordRules } from '../../contract/record-rules.ts';

/** How the records of Pi are translated. */
export const piRecords: RecordRules = {
  '`session`': '`session` with its folder',
  '`agent_start`, `agent_end`, `agent_settled`, `turn_end`': 'nothing: consumed',
  '`turn_start`': '`step_start`; the same step again after a retry',
  '`message_start`': 'nothing: consumed',
  '`message_update`': '`text` and `reasoning` as they stream',
  '`message_end` of the assistant':
    'what was not streamed, `tool_call`, `usage`; an `error` when the model call failed and is not retried',
  '`message_end` of anybody else': 'nothing: consumed',
  '`tool_execution_start`': '`tool_start`; with its `tool_call` when there was none',
  '`tool_execution_update`': 'nothing: the end repeats it',
  '`tool_execution_end`': '`tool_result` of the one call that has its id; else `unknown`',
  '`auto_retry_start`': '`warning` with code `auto_retry`',
  '`auto_retry_end`, `entry_appended`': 'nothing: consumed',
};
