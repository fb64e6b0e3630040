import type { RecordRule } from '../../contract/cli-adapter.ts';

/** How the records of Pi are translated. */
export const piRecords: readonly RecordRule[] = [
  { record: '`session`', becomes: '`session` with its folder' },
  { record: '`agent_start`, `agent_end`, `agent_settled`, `turn_end`', becomes: 'nothing: consumed' },
  { record: '`turn_start`', becomes: '`step_start`; the same step again after a retry' },
  { record: '`message_start`', becomes: 'nothing: consumed' },
  { record: '`message_update`', becomes: '`text` and `reasoning` as they stream' },
  {
    record: '`message_end` of the assistant',
    becomes: 'what was not streamed, `tool_call`, `usage`; an `error` when the model call failed and is not retried',
  },
  { record: '`message_end` of anybody else', becomes: 'nothing: consumed' },
  { record: '`tool_execution_start`', becomes: '`tool_start`; with its `tool_call` when there was none' },
  { record: '`tool_execution_update`', becomes: 'nothing: the end repeats it' },
  { record: '`tool_execution_end`', becomes: '`tool_result` of the one call that has its id; else `unknown`' },
  { record: '`auto_retry_start`', becomes: '`warning` with code `auto_retry`' },
  { record: '`auto_retry_end`, `entry_appended`', becomes: 'nothing: consumed' },
  { record: 'anything else', becomes: '`unknown`' },
];
