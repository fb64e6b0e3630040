import type { EventOf } from '../../events/vocabulary.ts';
import type { Draft } from '../versioned/store.ts';
import type { Block, Chunk, Message, Run, Summary } from './record.ts';

/** The tables of a conversation: each maps a key to a list, whose newest value is the current one. */
export interface Tables {
  message: Message;
  block: Block;
  chunk: Chunk;
  run: Run;
  /** `all` to the ids of all messages, of all blocks and of all chunks. */
  messages: string;
  everyBlock: string;
  everyChunk: string;
  /** Message to its blocks, block to its chunks, message (or `start`) to its followers. */
  blocks: string;
  chunks: string;
  followers: string;
  /** Block to its chunks that belonged to no call or execution when they were created. */
  heads: string;
  /** Message (or `start`) to its active follower; `none` when all of them were moved. */
  activeFollower: string;
  /** `tip` to the last message of the active branch; `unknown` when it has to be searched. */
  tip: string;
  /** Message to the block that receives its next content. */
  openBlock: string;
  /** Run to the block of its newest attempt at a step. */
  attempt: string;
  /** User message to the first run that answers it. */
  firstAnswer: string;
  /** A base name to the number of ids made from it. */
  claims: string;
  /** The id of a call, relay, execution, stream or streamed input, as `named` builds it, to its newest chunk. */
  named: string;
  /** Block to the stream that grew last, and its chunk. */
  growing: { readonly stream: string; readonly chunkId: string };
  /** Call or execution to its chunks, except reports, and to the messages of the runs it started. */
  attached: string;
  spawned: string;
  /** Call to its reports. */
  reports: string;
  /** An unknown id to the messages of the runs that name it as their cause. */
  waiting: string;
  /** Run to the chunks of its relays. */
  asked: string;
  /** Relay chunk to its answer. */
  answer: EventOf<'relay_resolved'>;
  /** `all` to the summaries in effect, `buffered` to those that were not when they were made; a summary's id to itself. */
  summaries: Summary;
  /** The first node that buffered summaries cover, as they name it, to these summaries. */
  bufferedFrom: Summary;
  /** Buffered summary to whether a later one activated it. */
  activated: boolean;
  /** Message, call or summary to whether a person folded it. */
  collapsed: boolean;
  /** Message, block or chunk to the versions at which it changed; a version is unique among related conversations. */
  changed: number;
  blockChanged: number;
  chunkChanged: number;
  /** Message (or `start`) to the versions at which its followers changed. */
  followersChanged: number;
  /** `all` to the changed messages on branches, in order; consecutive changes of one count once. */
  touched: string;
  /** Message to its changed blocks, in order; consecutive changes of one count once. */
  touchedBlocks: string;
  /** Message to the versions at which a run in it ended, or first reported the start of a tool. */
  standingChanged: number;
  /** `all` to the messages that were moved off a branch and under their cause. */
  moved: string;
  /** `all` to a new object after every change of the order of messages. */
  tree: Tree;
}

/** The order of messages at one snapshot; records when the only change was a message at the end of the active branch. */
export interface Tree {
  readonly added?: { readonly to: Tree; readonly messageId: string };
}

/** The draft that the reducers write to. */
export type ConversationDraft = Pick<Draft<Tables>, keyof Draft<Tables>>;

/** A reader of tables: a conversation, or a draft of one. */
export type Reader = Pick<ConversationDraft, 'last' | 'all' | 'count'>;

/** The key of messages without a predecessor. */
export const start = '';

/** The key of the only list of a table. */
export const all = '';

/** The key of the summaries that were not in effect when they were made. */
export const buffered = '\u0000buffered';

/** The value that represents no id. */
export const none = '';

/** Returns the key of an event's id: in its run, or in any run when no run is given. */
export function named(kind: 'call' | 'input' | 'relay' | 'execution', id: string, runId = ''): string {
  return `${kind}\u0000${runId}\u0000${id}`;
}

/** Returns the key of a stream of fragments in a block. */
export function streamKey(blockId: string, id: string): string {
  return `stream\u0000${blockId}\u0000${id}`;
}
