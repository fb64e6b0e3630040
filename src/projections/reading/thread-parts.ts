import { defined } from '../../base/defined.ts';
import type { Block, Chunk } from '../../graph/conversation/record.ts';
import {
  getChange,
  getAttached,
  getHeads,
  getRun,
  getSpawned,
  isSuperseded,
  getChunkText,
} from '../../graph/conversation/queries.ts';
import type { Conversation } from '../../graph/conversation/conversation.ts';
import { relayPart, type ToolContext, toolPart } from './thread-tool.ts';
import type { ReplPart, ViewPart } from './view-node.ts';

export interface PartContext extends ToolContext {
  /** Whether everything is shown, also what a person folded. */
  readonly full: boolean;
  readonly hideReasoning: boolean;
  /** Equal for equal options: parts made with other options are not reused. */
  readonly key: string;
}

/** Returns the visible parts of a block, in order, without superseded attempts and usage. */
export function partsOfBlock(conversation: Conversation, block: Block, context: PartContext): ViewPart[] {
  return getHeads(conversation, block.id).flatMap(chunk => {
    if (chunk.ownerId !== undefined || chunk.kind === 'usage') return [];
    if (context.hideReasoning && chunk.kind === 'reasoning') return [];
    const isGone = block.state === 'superseded' && isSuperseded(conversation, chunk);
    return isGone ? [] : keptPart(conversation, chunk, context);
  });
}

const kept = new WeakMap<Chunk, { change: number; standing: string; key: string; part: ViewPart }>();

/** The part of a chunk, made only once as long as nothing about it changes. */
function keptPart(conversation: Conversation, chunk: Chunk, context: PartContext): ViewPart {
  const change = getChange(conversation, 'chunk', chunk.id);
  const run = getRun(conversation, chunk.runId);
  const standing = `${run?.status} ${run?.reportsStart}`;
  const before = kept.get(chunk);
  if (before?.change === change && before.standing === standing && before.key === context.key) return before.part;
  const part = buildPart(conversation, chunk, context);
  kept.set(chunk, { change, standing, key: context.key, part });
  return part;
}

function buildPart(conversation: Conversation, chunk: Chunk, context: PartContext): ViewPart {
  const { id, kind, event } = chunk;
  const place = defined({ seq: event.seq });
  if (kind === 'text' || kind === 'reasoning') return { kind, id, ...place, text: getChunkText(conversation, id) };
  if (event.type === 'user') {
    const { id: messageId, content, by, automatic, ts } = event;
    return { kind: 'user', id, ...place, content, ...defined({ messageId, by, automatic, ts }) };
  }
  if (event.type === 'relay') return relayPart(conversation, chunk) as ViewPart;
  if (kind === 'repl_input' || kind === 'repl_progress' || kind === 'repl_output')
    return replPart(conversation, chunk, context);
  if (kind === 'run') return { kind, id, ...place, runs: context.nodesOf(spawnedBy(conversation, chunk)) };
  if (kind.startsWith('tool_')) return toolPart(conversation, chunk, context);
  return { kind: 'fact', id, ...place, event };
}

/** An execution with all that belongs to it; the chunk is its input, or a piece of one whose input is missing. */
function replPart(conversation: Conversation, chunk: Chunk, context: PartContext): ReplPart {
  const pieces = chunk.event.type === 'repl_input' ? getAttached(conversation, chunk.id) : [chunk];
  const output = pieces.find(({ event }) => event.type === 'repl_output')?.event;
  const iteration = 'iteration' in chunk.event ? chunk.event.iteration : undefined;
  return {
    kind: 'repl',
    id: chunk.id,
    ...defined({ seq: chunk.event.seq }),
    ...(chunk.event.type === 'repl_input' && { code: chunk.event.code }),
    ...(iteration !== undefined && { iteration }),
    printed: pieces.flatMap(({ id, event }) =>
      event.type === 'repl_progress' ? [{ stream: event.stream, text: getChunkText(conversation, id) }] : [],
    ),
    ...(output?.type === 'repl_output' && { output }),
    runs: context.nodesOf(spawnedBy(conversation, chunk)),
  };
}

function spawnedBy(conversation: Conversation, { id }: Chunk): string[] {
  return getSpawned(conversation, id).map(message => message.id);
}
