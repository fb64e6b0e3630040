import type { RecordRules } from '../../contract/record-rules.ts';

/** How the records of Cline are translated. */
export const clineRecords: RecordRules = {
  'any with `sessionId`, `session_id` or `id`': '`session`, once; `taskId` is never taken for it',
  '`run_start`': 'nothing: consumed',
  '`hook_event`': 'only the start of a subagent run: it attributes the records that follow',
  '`agent_event` `iteration_start`': '`step_start`',
  '`agent_event` `content_start` of text and reasoning': '`text` and `reasoning` as they stream',
  '`agent_event` `content_end` of text and reasoning': 'what was not streamed; the end of a text is final',
  '`agent_event` `content_start` of a tool': '`tool_call` and `tool_start`',
  '`agent_event` `content_update`': 'nothing: the end repeats it',
  '`agent_event` `content_end` of a tool':
    '`tool_result` of the one call that has its id; denied when it needed a permission; else `unknown`',
  '`agent_event` `usage`': '`usage`; repeated reports of the team are counted once',
  '`agent_event` `iteration_end`': 'nothing: consumed',
  '`agent_event` `done`': 'the end of the run of a subagent; else consumed',
  '`agent_event` `error`':
    'nothing when it is recoverable: the results of the calls say it; else the `error` of the run it ends',
  '`team_event` `task_start`, `task_end`': 'the start and the end of the run of a teammate',
  '`team_event` `agent_event`': 'like `agent_event`, in the run of the teammate',
  '`team_event` of teammates, tasks, messages, runs and log': 'nothing: consumed',
  '`run_result`': '`error` when it did not complete; `usage` when none was reported before',
  '`run_aborted`': 'nothing after `run_result`; else `error`',
  'before 3: `say` `text`, `completion_result`; `ask` `followup`': '`text`, final',
  'before 3: `say` `reasoning`': '`reasoning`',
  'before 3: `say` `api_req_started`':
    '`step_start`, the `tool_result` of the calls before it, `usage` when it is reported, and `unknown`',
  'before 3: `say` `error_retry`': '`error`',
  'before 3: `say` `api_req_retried`': '`step_start`: the same step again, and `unknown`',
  'before 3: `say` `tool`, `command`': '`tool_call`, which is `unknown` in the activity',
  'before 3: `say` and `ask` `command_output`': 'the result of the command',
  'before 3: `say` of an error': '`error`',
  'before 3: `error`': '`error`, once',
};
