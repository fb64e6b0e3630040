/**
 * The vocabulary: every event, defined once.
 * @module
 */
export type { ContentPart } from './content.ts';
export type { Durability, EventDefinition } from './define.ts';
export type * from './event-types.ts';
export { errorText } from '../base/error-text.ts';
export { createIds, type IdSource, newId } from './ids.ts';
export { eventJsonSchema } from './json-schema.ts';
export { replacesAttempt, type StepAttempt } from './attempt.ts';
export { checkOrder, lateResult, OrderChecker, type OrderRule, orderRules, type OrderViolation } from './order.ts';
export { parseEvent, parseEventText } from './parse.ts';
export { type ErrorCode, errorStatus, isStoreUnavailable, SingletreeError } from '../base/singletree-error.ts';
export { isToolParseError, type ToolOutput, toToolOutput, type ToolParseError, toolParseError } from './tools.ts';
export {
  type AgentEvent,
  getDefinition,
  type EventOf,
  type EventType,
  type Handlers,
  isKnownEvent,
  type LoggedEvent,
  vocabulary,
} from './vocabulary.ts';
