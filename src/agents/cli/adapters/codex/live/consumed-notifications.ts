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
  'thread/settings/updated',
  'thread/started',
  'thread/status/changed',
  'turn/diff/updated',
  'turn/moderationMetadata',
]);

/** Whether a notification is consumed without an event: it repeats what other messages report, or is for other clients. */
export function isConsumed(method: string): boolean {
  return consumed.has(method);
}
