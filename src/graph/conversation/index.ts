export { type Active, activeUpTo, defaultActive, fullHistory, selectSibling } from './active.ts';
export { type Conversation, createConversation, reduceConversation } from './conversation.ts';
export { collapseNode, editMessage, retryOf, selectMessage, summariseSpan } from './operations.ts';
export {
  blockIdsFrom,
  blocksTouchedSince,
  changeOf,
  getAnswer,
  getAttached,
  getBlock,
  getBlocks,
  getChunk,
  getChunks,
  getHeads,
  getMessage,
  getMessageAtBirth,
  getMessages,
  getReports,
  getRun,
  getSiblings,
  getSpawned,
  getSummaries,
  hyperedges,
  idsFrom,
  isCollapsed,
  isSuperseded,
  type Mark,
  markOf,
  markOfMessage,
  type MessageMark,
  textOf,
  touchedSince,
} from './queries.ts';
export type { Block, Chunk, ChunkKind, Hyperedge, Message, Run, RunStatus, Summary } from './record.ts';
