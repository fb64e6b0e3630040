/**
 * The conversation graph: a pure fold over events. The flat graph has a node for each event; the conversation groups
 * them into blocks and messages with branches.
 * @module
 */
export { createGraph, type Graph, reduceEvent } from './graph.ts';
export type { Node, NodeKind, NodeOf, RelayResolution } from './node.ts';

export { toMap } from './view.ts';
export { getChildren, getNodesInRun, getText, getToolCalls, walkDFS } from './queries.ts';
export { type Active, activeUpTo, defaultActive, fullHistory, selectSibling } from './conversation/active.ts';
export type {
  Block,
  Chunk,
  ChunkKind,
  Hyperedge,
  Message as ConversationMessage,
  Run,
  RunStatus,
  Summary,
} from './conversation/record.ts';
export {
  getChange,
  getAnswer,
  getAttached,
  getBlock,
  getBlocks,
  getChunk,
  getChunks,
  getMessage,
  getMessageAtBirth,
  getMessages,
  getRun,
  getSiblings,
  getSpawned,
  getBufferedFrom,
  getBufferedSummaries,
  getSummaries,
  getTip,
  hyperedges,
  idsFrom,
  isCollapsed,
  isSuperseded,
  type Mark,
  getMark,
  getChunkText,
  touchedSince,
} from './conversation/queries.ts';
export { collapseNode, editMessage, getRetryTarget, selectMessage, summariseSpan } from './conversation/operations.ts';
export {
  type Conversation,
  createConversation,
  reduceConversation,
  reportStarts,
} from './conversation/conversation.ts';
