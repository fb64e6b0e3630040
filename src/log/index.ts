/**
 * The append-only log: its contract, and the stores that keep it.
 * @module
 */
export type {
  AppendOptions,
  EventLog,
  Lease,
  LeaseRequest,
  NewThread,
  RawLine,
  ReadRange,
  Tail,
  TailOptions,
  Thread,
  ThreadChange,
  ThreadFilter,
} from './event-log.ts';
export { exportThread, importThread } from './jsonl.ts';
export { MemoryLog } from './memory-log.ts';
export type { SqliteDurability } from './sqlite/open.ts';
export { SqliteLog, type SqliteLogOptions } from './sqlite/sqlite-log.ts';
export { ThreadWriter, type ThreadWriterOptions } from './thread-writer.ts';
