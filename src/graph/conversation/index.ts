export { type Active, activeUpTo, defaultActive, fullHistory, selectSibling } from './active.ts';
export { type Conversation, createConversation, reduceConversation } from './conversation.ts';
export { collapseNode, editMessage, retryOf, selectMessage, summariseSpan } from './operations.ts';
export {
  changeOf,
  getAnswer,
  getAttached,
  getBlocks,
  getChunk,
  getChunks,
  getMessage,
  getMessages,
  getRun,
  getSiblings,
  getSpawned,
  getSummaries,
  hyperedges,
  isCollapsed,
  isSuperseded,
  textOf,
} from './queries.ts';
export type { Block, Chunk, ChunkKind, Hyperedge, Message, Run, RunStatus, Summary } from './record.ts';
