import type { RecordRules } from '../../contract/record-rules.ts';

/** How the records of Antigravity are translated. */
export const antigravityRecords: RecordRules = {
  '`init`': '`session` with its folder and model',
  '`step_update` of `user_input` and `checkpoint`': 'nothing: consumed',
  '`step_update` of `agent_response`':
    '`step_start`, `reasoning`, `text`, final when it is done; `error` when it failed',
  '`step_update` of `tool`': '`tool_call`, and `tool_result` when it is done',
  '`step_update` of `subagent`':
    'a tool call, and the start of the run of each subagent it names; its steps are in that run',
  'any finished `step_update` with usage': 'also `usage`',
  '`result`':
    'the end of the runs of subagents; `text` and `usage` when no step reported them; `warning` for denied actions; `error` when it failed',
  'plain text, as releases before 1.1.8 print it':
    '`error` and `warning` when the line begins so, else `unknown`; a first error and a timeout end the run',
};
