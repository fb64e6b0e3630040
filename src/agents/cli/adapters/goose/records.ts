import type { RecordRules } from '../../contract/record-rules.ts';

/** How the records of Goose are translated. */
export const gooseRecords: RecordRules = {
  'the banner before the first record, which is not JSON':
    '`session` with its folder and model; its id is the name that Goose was started with, when it is known',
  '`error: ` before the first record': '`error`: it did not start',
  '`message` of the assistant, text': '`text`, once, whether a record has what is new or all of the text so far',
  '`message` of the assistant, thinking': '`reasoning`; redacted thinking is consumed',
  '`message` of the assistant, `toolRequest`': '`tool_call`; `delegate` also starts the run of a subagent',
  '`message` of the assistant that no model wrote, with an error or an error text': '`error`',
  '`message` of the assistant, `systemNotification`': '`warning`',
  '`message` of the user, `toolResponse`':
    '`tool_result` of the one call that has its id, with the end of the run of a subagent, or the `tasks` of a todo list; else `unknown`',
  '`message` of the user, text': 'nothing: an echoed prompt is consumed',
  '`notification`': '`unknown`, in the run of the subagent that it is about',
  '`error`': '`error`',
  '`complete`':
    '`usage` of the run: the record counts the session, and its earlier usage is subtracted; nothing when that is unknown',
};
