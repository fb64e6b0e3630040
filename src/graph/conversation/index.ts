export { type Active, activeUpTo, defaultActive, fullHistory, selectSibling } from './active.ts';
export { type Conversation, createConversation, reduceConversation } from './conversation.ts';
export { collapseNode, editMessage, retryOf, selectMessage, summariseSpan } from './operations.ts';
export {
  changeOf,
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
  getSummaries,
  hyperedges,
  idsFrom,
  isCollapsed,
  isSuperseded,
  type Mark,
  markOf,
  textOf,
  touchedSince,
} from './queries.ts';
export type { Block, Chunk, ChunkKind, Hyperedge, Message, Run, RunStatus, Summary } from './record.ts';
