import type { EventOf } from '../../events/vocabulary.ts';
import type { Message, Summary } from './record.ts';
import { messageNamed } from './runs.ts';
import { all, buffered, type ConversationDraft, type Reader } from './tables.ts';

/** Returns the summary of an event with its current blocks; undefined when its ids are unknown. */
export function toSummary(reader: Reader, event: EventOf<'summary'>): Summary | undefined {
  const fromBlockId = blockNamed(reader, event.covers.from, 'first');
  const toBlockId = blockNamed(reader, event.covers.to, 'last');
  if (fromBlockId === undefined || toBlockId === undefined) return undefined;
  return { id: event.id, text: event.text, kind: event.kind, fromBlockId, toBlockId, event };
}

/** Keeps what a summary activates and, when its ids are known, the summary. */
export function keepSummary(draft: ConversationDraft, event: EventOf<'summary'>, summary: Summary | undefined): void {
  for (const id of event.activates ?? []) draft.add('activated', id, true);
  if (summary === undefined) return;
  draft.add('summaries', event.active === false ? buffered : all, summary);
  draft.add('summaries', event.id, summary);
  if (event.active === false) draft.add('bufferedFrom', event.covers.from, summary);
}

/** Returns the first or the last block of an id: of an earlier summary, a message, a run, a block or a chunk. */
function blockNamed(reader: Reader, id: string, end: 'first' | 'last'): string | undefined {
  const summary = reader.last('summaries', id);
  if (id !== all && summary !== undefined) return end === 'first' ? summary.fromBlockId : summary.toBlockId;
  const isWhole = reader.last('message', id) !== undefined || reader.last('run', id) !== undefined;
  const part = isWhole ? undefined : (reader.last('block', id)?.id ?? reader.last('chunk', id)?.blockId);
  const message = messageNamed(reader, id) ?? findMessage(reader, part);
  if (message === undefined) return undefined;
  const outer = outermost(reader, message);
  if (outer !== undefined) return outer;
  return part ?? reader.all('blocks', message.id).at(end === 'first' ? 0 : -1);
}

function findMessage(reader: Reader, blockId: string | undefined): Message | undefined {
  const block = blockId === undefined ? undefined : reader.last('block', blockId);
  return block && reader.last('message', block.messageId);
}

/** Returns the block on a branch that contains a subagent's message. */
function outermost(reader: Reader, message: Message): string | undefined {
  let blockId: string | undefined;
  for (let at: Message | undefined = message; at?.spawnedBy !== undefined; at = findMessage(reader, blockId))
    blockId = reader.last('chunk', at.spawnedBy)?.blockId;
  return blockId;
}
