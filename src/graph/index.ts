/**
 * The conversation graph: a pure fold over events. The flat graph has a node for each event; the conversation groups
 * them into blocks and messages with branches.
 * @module
 */
export { createGraph, type Graph, reduceEvent } from './graph.ts';
export type { Node, NodeKind, NodeOf, RelayResolution } from './node.ts';

export { toMap } from './view.ts';
export { getChildren, getNodesInRun, getText, getToolCalls, walkDFS } from './queries.ts';
export {
  type Active,
  activeUpTo,
  type Block,
  changeOf,
  type Chunk,
  type ChunkKind,
  collapseNode,
  type Conversation,
  createConversation,
  defaultActive,
  editMessage,
  fullHistory,
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
  type Hyperedge,
  hyperedges,
  idsFrom,
  isCollapsed,
  isSuperseded,
  type Mark,
  markOf,
  type Message as ConversationMessage,
  reduceConversation,
  reportStarts,
  retryOf,
  type Run,
  type RunStatus,
  selectMessage,
  selectSibling,
  summariseSpan,
  type Summary,
  textOf,
  touchedSince,
} from './conversation/index.ts';
