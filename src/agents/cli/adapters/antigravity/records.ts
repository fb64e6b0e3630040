import type { RecordRule } from '../../contract/cli-adapter.ts';

/** How the records of Antigravity are translated. */
export const antigravityRecords: readonly RecordRule[] = [
  { record: '`init`', becomes: '`session` with its folder and model' },
  { record: '`step_update` of `user_input` and `checkpoint`', becomes: 'nothing: consumed' },
  { record: '`step_update` of `agent_response`', becomes: '`step_start`, `reasoning`, `text`; `error` when it failed' },
  { record: '`step_update` of `tool`', becomes: '`tool_call`, and `tool_result` when it is done' },
  {
    record: '`step_update` of `subagent`',
    becomes: 'a tool call, and the start of the run of each subagent it names; its steps are in that run',
  },
  { record: 'any finished `step_update` with usage', becomes: 'also `usage`' },
  {
    record: '`result`',
    becomes:
      'the end of the runs of subagents; `text` and `usage` when no step reported them; `warning` for denied actions; the fatal `error` when it failed',
  },
  {
    record: 'plain text, as releases before 1.1.8 print it',
    becomes: '`unknown` for each line; the fatal `error` when it begins as one, or says that it timed out',
  },
  { record: 'anything else', becomes: '`unknown`' },
];
