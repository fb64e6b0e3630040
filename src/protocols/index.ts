/**
 * What goes over the wire: encoders of the log, and the bodies of the HTTP API.
 * @module
 */
export {
  type AgentInfo,
  agentInfo,
  type MessageBody,
  type MessageReceipt,
  messageBody,
  messageReceipt,
  type NewThreadBody,
  newThreadBody,
  type Problem,
  problem,
  type RelayBody,
  type RetryBody,
  type SelectionBody,
  relayBody,
  retryBody,
  selectionBody,
  type ThreadInfo,
  threadInfo,
} from './http-api.ts';
export { encodeSse, encodeSseComment, type SseFrame } from './sse.ts';
