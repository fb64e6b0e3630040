import type { RecordRules } from '../../contract/record-rules.ts';

/** How the messages of every program that speaks the Agent Client Protocol are translated. */
export const acpRecords: RecordRules = {
  'the answers to `initialize`, `session/new`, `session/load`, `session/set_mode`, `session/set_config_option`':
    'nothing: they open the session and verify that the agent asks',
  'any `session/update` before the session is open': 'nothing: the history of a resumed session',
  '`session/update` `agent_message_chunk`': '`text`; a new message begins a step',
  '`session/update` `agent_thought_chunk`': '`reasoning`',
  '`session/update` `tool_call`, `tool_call_update`':
    '`tool_call` once, in whatever order they come, when the call is no longer pending; `tool_start` when it runs; `tool_progress` for what it reports; `tool_result` when it has ended; nothing after its result',
  '`session/update` `plan`': '`tasks`',
  '`session/update` `user_message_chunk`': 'nothing: it repeats a prompt',
  '`session/update` `usage_update`': 'nothing: consumed',
  '`session/update` `session_info_update`, `available_commands_update`': '`session` with the title or the commands',
  '`session/update` `current_mode_update`, `config_option_update`':
    'nothing; a `warning` when the agent switches to a mode that does not ask, which is taken back',
  '`session/request_permission`':
    'a request for a permission, a question or a plan, after its `tool_call`; `unknown` and answered as cancelled when its call has a result or cannot be read',
  '`elicitation/create`': 'a question for each field of the form; another form is declined and `unknown`',
  'any other request': '`unknown`; answered as not supported',
  'the answer to `session/prompt`': '`usage`; `error` when the turn failed; the end of the turn',
};
