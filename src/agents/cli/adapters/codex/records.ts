import type { RecordRules } from '../../contract/record-rules.ts';

/** How the records of Codex are translated. */
export const codexRecords: RecordRules = {
  '`thread.started`': '`session`; later events carry its id',
  '`turn.started`': '`step_start`',
  '`turn.completed`':
    '`usage` of the run: the record counts the session, and its earlier usage is subtracted; cached input is part of the input, reasoning of the output',
  '`turn.failed`': '`error`, unless an `error` before it reported the same',
  '`error` that says `Reconnecting...`': '`warning` with code `retry`',
  'other `error`': '`error`',
  'item `agent_message`, completed': '`text`, final',
  'item `reasoning`, completed': '`reasoning`, which is `unknown` in the activity',
  'item `error`, completed': '`error`; the program reports advice the same way',
  'item that is a tool, started': '`tool_call` and `tool_start`',
  'item that is a tool, completed': '`tool_result`; with its `tool_call` when it was never started',
  'item `collab_tool_call`':
    'a tool call, and the start or end of the run of each agent it names; without either it is `unknown` in the activity',
  'item `todo_list`': 'a tool call, and `tasks` at each change',
  'item of another type': '`unknown`, once',
};
