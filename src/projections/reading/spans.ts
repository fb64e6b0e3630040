import type { Active } from '../../graph/conversation/active.ts';
import type { Block, Summary } from '../../graph/conversation/record.ts';
import type { Conversation } from '../../graph/conversation/conversation.ts';
import { getBlocks, getSummaries } from '../../graph/conversation/queries.ts';

/** A piece of the view: a block, or a summary with the blocks that it covers. */
export type Span = { readonly block: Block } | { readonly summary: Summary; readonly blocks: readonly Block[] };

/**
 * The blocks of what is active, with the summaries in the place of what they cover. A summary counts when both its ends
 * are there; where two overlap the newer one counts, and the source of the other is shown. `counts` picks among them.
 */
export function buildSpans(
  conversation: Conversation,
  active: Active,
  counts: (summary: Summary) => boolean = () => true,
): Span[] {
  const blocks = active.messages.flatMap(id => getBlocks(conversation, id));
  const summaries = active.full ? [] : getSummaries(conversation).filter(counts);
  if (summaries.length === 0) return blocks.map(block => ({ block }));
  const places = new Map(blocks.map((block, place) => [block.id, place]));
  const starts = new Map<number, { summary: Summary; end: number }>();
  const covered = new Set<number>();
  for (const summary of summaries.toReversed()) {
    const from = places.get(summary.fromBlockId);
    const to = places.get(summary.toBlockId);
    if (from === undefined || to === undefined || from > to) continue;
    if (overlaps(covered, from, to)) continue;
    for (let place = from; place <= to; place++) covered.add(place);
    starts.set(from, { summary, end: to });
  }
  const spans: Span[] = [];
  for (let place = 0; place < blocks.length; place++) {
    const start = starts.get(place);
    if (start === undefined) spans.push({ block: blocks[place] as Block });
    else {
      spans.push({ summary: start.summary, blocks: blocks.slice(place, start.end + 1) });
      place = start.end;
    }
  }
  return spans;
}

function overlaps(covered: ReadonlySet<number>, from: number, to: number): boolean {
  if (covered.has(from) || covered.has(to)) return true;
  for (let place = from; place <= to; place++) if (covered.has(place)) return true;
  return false;
}
