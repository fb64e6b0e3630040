import type { RecordRule } from '../../contract/cli-adapter.ts';

/** How the records of Codex are translated. */
export const codexRecords: readonly RecordRule[] = [
  { record: '`thread.started`', becomes: '`session`; later events carry its id' },
  { record: '`turn.started`', becomes: '`step_start`' },
  {
    record: '`turn.completed`',
    becomes:
      '`usage` of the run: the record counts the session, and its earlier usage is subtracted; cached input is part of the input, reasoning of the output',
  },
  { record: '`turn.failed`', becomes: 'the fatal `error`, once, at the end of the run' },
  { record: '`error` that says `Reconnecting...`', becomes: '`warning` with code `retry`' },
  { record: 'other `error`', becomes: '`error`: fatal when the run ends by it, which `turn.failed` repeats' },
  { record: 'item `agent_message`, completed', becomes: '`text`' },
  { record: 'item `reasoning`, completed', becomes: '`reasoning`' },
  { record: 'item `error`, completed', becomes: '`error`; the program reports advice the same way' },
  { record: 'item that is a tool, started', becomes: '`tool_call` and `tool_start`' },
  {
    record: 'item that is a tool, completed',
    becomes: '`tool_result`; with its `tool_call` when it was never started',
  },
  { record: 'item `collab_tool_call`', becomes: 'a tool call, and the start or end of the run of each agent it names' },
  { record: 'item `todo_list`', becomes: 'a tool call, and `tasks` at each change' },
  { record: 'item of another type', becomes: '`unknown`, once' },
  { record: 'anything else', becomes: '`unknown`' },
];
