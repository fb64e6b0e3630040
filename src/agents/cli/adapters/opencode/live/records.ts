import type { RecordRules } from '../../../contract/record-rules.ts';

/** How the messages of the server of OpenCode and Kilo Code are translated. */
export const serveRecords: RecordRules = {
  'a response': 'nothing: it belongs to a request',
  '`message.part.updated` of type `step-start`': '`step_start`',
  '`message.part.updated` of type `step-finish`': '`usage` with its cost',
  '`message.part.updated` of type `text` or `reasoning`': 'the rest of `text` (final when it ends) or `reasoning`',
  '`message.part.delta`': 'a fragment of `text` or `reasoning`',
  '`message.part.updated` of type `tool`':
    '`tool_call` when its arguments are complete, `tool_result` when it ends; `tasks` for `todowrite`',
  '`message.part.updated` of a `task`': 'also the run of a subagent, which ends with the call',
  '`message.part.updated` of a message of a person or of an earlier turn': 'nothing: consumed',
  '`message.updated`': 'nothing: assigns the message to its turn',
  '`permission.asked`': 'a permission request, after its `tool_call`; a question when it is not about a call',
  '`question.asked`': 'one question for each; a plan for the question whether a plan may be executed',
  '`permission.replied`, `question.replied`, `question.rejected`': 'withdraws a request that the program closed itself',
  '`session.error`': '`error`; an interrupted turn ends as aborted',
  '`session.status` with a retry': '`warning` with code `retry`',
  '`session.idle`': 'the end of the turn, when every prompt has been read and every answer has ended',
  '`session.created`': 'nothing: names the session of a subagent',
  'an event of the server, of other interfaces, or one that repeats others': 'nothing: consumed',
};

/** Where the events of the server differ from those of print mode. */
export const serveDifferences: Readonly<Record<string, string>> = {
  '`text`, `reasoning`': 'in fragments; print mode has each text as one',
  '`tool_call`': 'when the call begins; print mode has it together with its result',
  '`tool_start`': 'before an approved call runs; print mode has none',
  '`relay`, `relay_resolved`': 'what a person is asked; print mode rejects it',
  '`user`': 'messages of people during a turn; print mode takes none',
  '`session`': 'once for each turn; print mode once for each process',
  'runs of subagents': 'with their own events; print mode has only the answer',
  '`warning` with code `retry`': 'also for a failed model call that is tried again; print mode is silent about it',
  '`error` of an interrupted turn': 'none: the run ends as aborted',
};
