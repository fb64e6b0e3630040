import type { EventOf } from '../../events/index.ts';
import type { Draft } from '../versioned/draft.ts';
import type { Block, Chunk, Message, Run, Summary } from './record.ts';

/** What a conversation keeps: each table maps a key to a list, whose newest value is the current one. */
export interface Tables {
  message: Message;
  block: Block;
  chunk: Chunk;
  run: Run;
  /** `all` to the ids of all messages, of all blocks and of all chunks. */
  messages: string;
  everyBlock: string;
  everyChunk: string;
  /** Message to its blocks, block to its chunks, message (or `start`) to those that follow it. */
  blocks: string;
  chunks: string;
  followers: string;
  /** Block to its chunks that belonged to no call or execution when they came. */
  heads: string;
  /** Message (or `start`) to the active one of those that follow it; `none` when all of them moved away. */
  activeFollower: string;
  /** `tip` to the last message of the active branch; `unknown` when it has to be looked for. */
  tip: string;
  /** Message to the block that what comes next goes into. */
  openBlock: string;
  /** Run to the block of its newest attempt at a step. */
  attempt: string;
  /** User message to the first run that answers it. */
  firstAnswer: string;
  /** A name of an id to how many ids were made of it. */
  claims: string;
  /** The id of a call, relay, execution, stream or growing input, as `named` builds it, to the newest chunk it means. */
  named: string;
  /** Block to the stream that grew last, and its chunk. */
  growing: { readonly stream: string; readonly chunkId: string };
  /** Call or execution to the chunks that belong to it, but for reports, and to the messages of the runs it started. */
  attached: string;
  spawned: string;
  /** Call to what it reported. */
  reports: string;
  /** An id nobody has yet to the messages of the runs that name it as their cause. */
  waiting: string;
  /** Run to the chunks of its relays. */
  asked: string;
  /** Relay chunk to its answer. */
  answer: EventOf<'relay_resolved'>;
  /** `all` to the summaries; a summary's id to itself. */
  summaries: Summary;
  /** Message, call or summary to whether a person folded it. */
  collapsed: boolean;
  /** Message, block or chunk to a number that is another one after every change in it, in any conversation. */
  changed: number;
  blockChanged: number;
  chunkChanged: number;
  /** Message (or `start`) to a number that is another one when other messages follow it. */
  followersChanged: number;
  /** `all` to the messages on branches that changed, in order; one that changes again and again is there once. */
  touched: string;
  /** Message to its blocks that changed, in order; one that changes again and again is there once. */
  touchedBlocks: string;
  /** Message to a number that is another one when a run in it ended, or first told that a tool started. */
  standingChanged: number;
  /** `all` to the messages that were taken off a branch and put under what started them. */
  moved: string;
  /** `all` to a new object after every change in who follows whom. */
  tree: Tree;
}

/** Who follows whom at one moment; when only a message was added at the end of the active branch, it says so. */
export interface Tree {
  readonly added?: { readonly to: Tree; readonly messageId: string };
}

export type ConversationDraft = Draft<Tables>;

/** What reads tables: a conversation, or one that is being added to. */
export type Reader = Pick<ConversationDraft, 'last' | 'all' | 'count'>;

/** The key under which the followers of no message are. */
export const start = '';

/** The key of the only list of a table. */
export const all = '';

/** The value that stands for no id. */
export const none = '';

/** The key of something named by an event: in its run, or in any run when no run is given. */
export function named(kind: 'call' | 'input' | 'relay' | 'execution', id: string, runId = ''): string {
  return `${kind}\u0000${runId}\u0000${id}`;
}

/** The key of a stream of fragments in a block. */
export function streamKey(blockId: string, id: string): string {
  return `stream\u0000${blockId}\u0000${id}`;
}
