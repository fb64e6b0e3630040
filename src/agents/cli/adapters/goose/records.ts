import type { RecordRule } from '../../contract/cli-adapter.ts';

/** How the records of Goose are translated. */
export const gooseRecords: readonly RecordRule[] = [
  { record: 'the banner before the first record, which is not JSON', becomes: '`session` with its folder and model' },
  { record: '`error: ` before the first record', becomes: 'the fatal `error`: it did not start' },
  {
    record: '`message` of the assistant, text',
    becomes: '`text`, once, whether a record has what is new or all of the text so far',
  },
  { record: '`message` of the assistant, thinking', becomes: '`reasoning`; redacted thinking is consumed' },
  {
    record: '`message` of the assistant, `toolRequest`',
    becomes: '`tool_call`; `delegate` also starts the run of a subagent',
  },
  {
    record: '`message` of the assistant that no model wrote, with an error or an error text',
    becomes: '`error`: fatal when the run ends by it',
  },
  { record: '`message` of the assistant, `systemNotification`', becomes: '`warning`' },
  {
    record: '`message` of the user, `toolResponse`',
    becomes:
      '`tool_result` of the one call that has its id, with the end of the run of a subagent, or the `tasks` of a todo list; else `unknown`',
  },
  { record: '`message` of the user, text', becomes: 'nothing: an echoed prompt is consumed' },
  { record: '`notification`', becomes: '`unknown`, in the run of the subagent that it is about' },
  { record: '`error`', becomes: '`error`: fatal when the run ends by it' },
  {
    record: '`complete`',
    becomes:
      '`usage` of the run: the record counts the session, and its earlier usage is subtracted; nothing when that is unknown',
  },
  { record: 'anything else', becomes: '`unknown`' },
];
