import {
  blockIdsFrom,
  blocksTouchedSince,
  getBlock,
  markOfMessage,
  type MessageMark,
} from '../../graph/conversation/queries.ts';
import type { Conversation } from '../../graph/conversation/conversation.ts';
import type { Message } from '../../graph/conversation/record.ts';
import { PagedList } from './paged-list.ts';
import { type PartContext, partsOfBlock } from './thread-parts.ts';
import type { ViewPart } from './view-node.ts';

/** The cached parts of a message from its last view. */
interface Prepared {
  readonly key: string;
  readonly mark: MessageMark;
  /** The parts of each block, in the order of the blocks, and the index of each block. */
  readonly blocks: (readonly ViewPart[])[];
  readonly places: Map<string, number>;
  readonly parts: PagedList<ViewPart>;
}

const prepared = new WeakMap<Message, Prepared>();

/** The parts of a whole message; when it was looked at before, only its blocks that changed are looked at again. */
export function partsOfMessage(
  conversation: Conversation,
  message: Message,
  context: PartContext,
): PagedList<ViewPart> {
  const { id } = message;
  const known = prepared.get(message);
  const touched = known?.key === context.key ? blocksTouchedSince(conversation, id, known.mark) : undefined;
  const before = touched === undefined ? undefined : known;
  const { blocks, places }: Pick<Prepared, 'blocks' | 'places'> = before ?? { blocks: [], places: new Map() };
  let first = blocks.length;
  let kept = before?.parts.length ?? 0;
  for (const blockId of new Set(touched)) {
    const place = places.get(blockId);
    if (place === undefined) continue;
    while (first > place) kept -= blocks[--first]?.length ?? 0;
    blocks[place] = partsIn(conversation, blockId, context);
  }
  for (const blockId of blockIdsFrom(conversation, id, blocks.length)) {
    places.set(blockId, blocks.length);
    blocks.push(partsIn(conversation, blockId, context));
  }
  const fresh = blocks.slice(first).flat();
  const parts = before === undefined ? PagedList.of(fresh) : before.parts.withEnd(kept, fresh);
  prepared.set(message, { key: context.key, mark: markOfMessage(conversation, id), blocks, places, parts });
  return parts;
}

function partsIn(conversation: Conversation, blockId: string, context: PartContext): readonly ViewPart[] {
  const block = getBlock(conversation, blockId);
  return block === undefined ? [] : partsOfBlock(conversation, block, context);
}
