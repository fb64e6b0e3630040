import type { RecordRules } from '../../../contract/record-rules.ts';

/** What the messages of `codex app-server` become. */
export const codexLiveRecords: RecordRules = {
  '`turn/started`': '`session` and `step_start`; `step_start` of its run for a subagent',
  '`turn/completed`':
    '`usage` since the last turn, then the end of the turn, or of the run of a subagent; `error` when it failed',
  '`item/started`, `item/completed`': 'as the items of print mode; a call starts when it is allowed or needs no answer',
  '`item/agentMessage/delta`': '`text` as it streams',
  '`item/reasoning/summaryTextDelta`': '`reasoning` as it streams',
  'item `userMessage`, `contextCompaction`': 'nothing: consumed',
  'item `plan`': '`text`, and a plan relay at the end of the turn',
  'item `subAgentActivity`': '`tool_call` of `spawn_agent` and the run of the subagent',
  '`item/commandExecution/requestApproval`': 'a permission relay; with its `tool_call` when there was none',
  '`item/fileChange/requestApproval`': 'a permission relay with the diff of the item',
  '`item/permissions/requestApproval`': 'a permission relay of `request_permissions`, granted for one turn',
  '`item/tool/requestUserInput`': '`tool_call` of `request_user_input` and one question relay for each question',
  '`mcpServer/elicitation/request`':
    'a permission relay for a tool of an MCP server; questions for a form of an MCP server, which is declined when it has other fields than texts, numbers and choices',
  'any other request': '`unknown`, and refused',
  '`serverRequest/resolved`': 'withdraws the relay, unless it was answered or closed before',
  '`thread/settings/updated`':
    'nothing; when it no longer asks, the turn is stopped with `error`, and calls that ran meanwhile have a `warning` with code `unasked`',
  '`thread/tokenUsage/updated`': 'counted for `usage`',
  '`turn/plan/updated`': '`tasks`',
  '`error`': '`error`; `warning` with code `retry` when it is retried',
  '`warning`, `guardianWarning`, `configWarning`':
    '`warning`; a `configWarning` before the first turn is consumed, because stderr repeats it',
  '`mcpServer/startupStatus/updated`': '`warning` when a server did not start, else consumed',
  '`item/commandExecution/outputDelta`': '`tool_start` of its call: the end repeats the output',
};

/** Where the events of the channel differ from those of `codex exec --json`. */
export const codexLiveDifferences: Readonly<Record<string, string>> = {
  'ids of messages and calls': 'the ids of the model instead of `item_0`, `item_1`, …',
  '`text`, `reasoning`': 'streamed in fragments; print mode emits one event for each message',
  '`tool_start`': 'after the approval; print mode emits it with the call. None for a declined call',
  '`tool_call` of `file_change`': 'its changes also have `diff` and `movePath`',
  'calls that print mode does not report':
    '`spawn_agent` of every version of its subagents, `request_user_input`, `request_permissions`, declined commands',
  'events of subagents': 'text, calls, usage and relays of each subagent; print mode has only its answer',
  '`usage`': 'also of each subagent',
  'advice of the program': '`warning`; print mode reports it as `error`',
  '`session`': 'once for each turn; print mode once for each process',
};

const consumed: ReadonlySet<string> = new Set([
  'account/gatewayOAuth/changed',
  'account/rateLimits/updated',
  'account/updated',
  'app/list/updated',
  'deprecationNotice',
  'hook/completed',
  'hook/started',
  'item/commandExecution/terminalInteraction',
  'item/fileChange/outputDelta',
  'item/fileChange/patchUpdated',
  'item/mcpToolCall/progress',
  'item/plan/delta',
  'item/reasoning/summaryPartAdded',
  'item/reasoning/textDelta',
  'mcpServer/oauthLogin/completed',
  'model/safetyBuffering/updated',
  'remoteControl/status/changed',
  'skills/changed',
  'thread/closed',
  'thread/compacted',
  'thread/environment/connected',
  'thread/environment/disconnected',
  'thread/goal/cleared',
  'thread/goal/updated',
  'thread/name/updated',
  'thread/queue/changed',
  'thread/readState/changed',
  'thread/started',
  'thread/status/changed',
  'turn/diff/updated',
  'turn/moderationMetadata',
]);

/** Whether a notification is consumed without an event: it repeats what other messages report, or is for other clients. */
export function isConsumed(method: string): boolean {
  return consumed.has(method) || method === 'thread/settings/updated';
}

/** The row of the documentation for what is consumed. */
export const consumedRecords: RecordRules = {
  [[...consumed].map(method => `\`${method}\``).join(', ')]: 'nothing: consumed',
};
