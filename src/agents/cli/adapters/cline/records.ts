import type { RecordRule } from '../../contract/cli-adapter.ts';

/** How the records of Cline are translated. */
export const clineRecords: readonly RecordRule[] = [
  { record: 'any with `sessionId`, `session_id` or `id`', becomes: '`session`, once; `taskId` is never taken for it' },
  { record: '`run_start`', becomes: 'nothing: consumed' },
  {
    record: '`hook_event`',
    becomes: 'only the start of a subagent run: it attributes the records that follow',
  },
  { record: '`agent_event` `iteration_start`', becomes: '`step_start`' },
  { record: '`agent_event` `content_start` of text and reasoning', becomes: '`text` and `reasoning` as they stream' },
  { record: '`agent_event` `content_end` of text and reasoning', becomes: 'what was not streamed' },
  { record: '`agent_event` `content_start` of a tool', becomes: '`tool_call` and `tool_start`' },
  { record: '`agent_event` `content_update`', becomes: 'nothing: the end repeats it' },
  {
    record: '`agent_event` `content_end` of a tool',
    becomes: '`tool_result` of the one call that has its id; denied when it needed a permission; else `unknown`',
  },
  { record: '`agent_event` `usage`', becomes: '`usage`; repeated reports of the team are counted once' },
  { record: '`agent_event` `iteration_end`', becomes: 'nothing: consumed' },
  { record: '`agent_event` `done`', becomes: 'the end of the run of a subagent; else consumed' },
  {
    record: '`agent_event` `error`',
    becomes: 'nothing when it is recoverable: the results of the calls say it; else the `error` of the run it ends',
  },
  { record: '`team_event` `task_start`, `task_end`', becomes: 'the start and the end of the run of a teammate' },
  { record: '`team_event` `agent_event`', becomes: 'like `agent_event`, in the run of the teammate' },
  { record: '`team_event` of teammates, tasks, messages, runs and log', becomes: 'nothing: consumed' },
  {
    record: '`run_result`',
    becomes: 'the fatal `error` when it did not complete; `usage` when none was reported before',
  },
  { record: '`run_aborted`', becomes: 'nothing after `run_result`; else the fatal `error`' },
  { record: 'before 3: `task_started`, `say` `task`', becomes: 'nothing: consumed' },
  { record: 'before 3: `say` `text`, `completion_result`; `ask` `followup`', becomes: '`text`' },
  { record: 'before 3: `say` `reasoning`', becomes: '`reasoning`' },
  {
    record: 'before 3: `say` `api_req_started`',
    becomes: '`step_start`, the `tool_result` of the calls before it, and `usage` when it is reported',
  },
  { record: 'before 3: `say` `error_retry`', becomes: '`warning`; the fatal `error` when it was the last' },
  { record: 'before 3: `say` `api_req_retried`', becomes: '`step_start`: the same step again' },
  { record: 'before 3: `say` `tool`, `command`', becomes: '`tool_call`, which is `unknown` in the activity' },
  { record: 'before 3: `say` and `ask` `command_output`', becomes: 'the result of the command' },
  { record: 'before 3: `say` of an error', becomes: '`error`' },
  { record: 'before 3: `ask` `api_req_failed`, `error`', becomes: 'the fatal `error`, once' },
  { record: 'anything else', becomes: '`unknown`' },
];
