import type { RecordRule } from '../../contract/cli-adapter.ts';

/** How the records of OpenCode and Kilo Code, which prints the same, are translated. */
export const opencodeRecords: readonly RecordRule[] = [
  { record: 'any with a `sessionID`', becomes: '`session`, the first time; later events carry its id' },
  { record: '`step_start`', becomes: '`step_start`' },
  {
    record: '`step_start` of a model call that has not finished',
    becomes: '`warning` with code `retry`, and the same step again',
  },
  {
    record: '`step_finish`',
    becomes: '`usage` with its cost; cached input is part of the input, reasoning of the output',
  },
  { record: '`text`', becomes: '`text`' },
  { record: '`text` that is `synthetic`', becomes: 'nothing: the program wrote it to the model' },
  { record: '`reasoning`', becomes: '`reasoning`' },
  {
    record: '`tool_use`',
    becomes: '`tool_call` and `tool_result`; a command without an exit code and the tool `invalid` failed',
  },
  { record: '`tool_use` of `todowrite`', becomes: '`tasks` too' },
  {
    record: '`tool_use` of `task` that names its session',
    becomes: 'also a separate run; a background run stays open, because its end is not reported',
  },
  { record: 'a part that was reported before', becomes: 'nothing: consumed' },
  {
    record: '`error`',
    becomes: '`error`: fatal unless another step begins; what follows it in its step does not make it less so',
  },
  { record: 'anything else', becomes: '`unknown`' },
];
