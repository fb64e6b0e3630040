/**
 * The control layer: the supervisor that invokes agents, and the Harness on top of it.
 * @module
 */
export { type Clock, systemClock } from '../agents/clock.ts';
export {
  ConversationReader,
  type ConversationState,
  type ConversationStatus,
} from './conversations/conversation-reader.ts';
export { ConversationSettings } from './conversations/conversation-settings.ts';
export { Conversations } from './conversations/conversations.ts';
export type { ConversationsOptions, Delivered, QueueChange } from './conversations/conversations-options.ts';
export type { SendReceipt, OfferedAgents, SentMessage } from './conversations/sent-message.ts';
export type { EndNote, FinishedRun, RunControl, RunHandle, StartOptions } from './supervision/run-control.ts';
export type { RunOutcome } from './supervision/run-counts.ts';
export type { ContextOf, ContextRequest } from './supervision/run-context.ts';
export { continueRun } from './supervision/continue-run.ts';
export type { OnFinish } from './supervision/run-observer.ts';
export { Supervisor } from './supervision/supervisor.ts';
export type { AgentFinder, SupervisorOptions } from './supervision/supervisor-options.ts';
export type { ThreadMemory } from './thread-memory.ts';
export {
  type RewindPreview,
  type RewindResult,
  type RewindScope,
  ThreadRewind,
  type UndoOptions,
} from './rewind/rewind-thread.ts';
export { Webhook, type WebhookOptions } from './webhooks/webhook.ts';
export { Worktrees, type WorktreesOptions } from './worktrees/worktrees.ts';
export * from './harness/index.ts';
