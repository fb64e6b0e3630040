import type { RecordRules } from '../../contract/record-rules.ts';

/** How the records of OpenCode and Kilo Code, which prints the same, are translated. */
export const opencodeRecords: RecordRules = {
  'any with a `sessionID`': '`session`, the first time; later events carry its id',
  '`step_start`': '`step_start`',
  '`step_start` of a model call that has not finished': '`warning` with code `retry`, and the same step again',
  '`step_finish`': '`usage` with its cost; cached input is part of the input, reasoning of the output',
  '`text`': '`text`, final',
  '`text` that is `synthetic`': 'nothing: the program wrote it to the model',
  '`reasoning`': '`reasoning`',
  '`tool_use`':
    '`tool_call` and `tool_result`; a command without an exit code and the tool `invalid` failed. The result of an edit has its `patch`, with line numbers',
  '`tool_use` of `todowrite`': '`tasks` too',
  '`tool_use` of `task` that names its session':
    'also a separate run; a background run stays open, because its end is not reported',
  'a part that was reported before': 'nothing: consumed',
  '`error`': '`error`; the run ends by it unless another step begins',
};
