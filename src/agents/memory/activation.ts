import { defined } from '../../base/defined.ts';
import { newId } from '../../events/ids.ts';
import type { SummaryEvent } from '../contract/memory.ts';
import type { MemoryContents } from './memory-contents.ts';
import type { Chunk } from './observation-plan.ts';

/** Returns the events that put buffered observations into effect: one for those that follow one another in a group. */
export function activateChunks(chunks: readonly Chunk[], { spans }: MemoryContents, runId: string): SummaryEvent[] {
  const groups = new Map<number, SummaryEvent[]>();
  for (const { summary, end } of chunks) {
    const group = spans[end - 1]?.group ?? 0;
    groups.set(group, [...(groups.get(group) ?? []), summary]);
  }
  return [...groups.values()].flatMap(summaries => {
    const [first, last] = [summaries[0], summaries.at(-1)];
    return first === undefined || last === undefined ? [] : [activated(summaries, { first, last, runId })];
  });
}

/** Returns the event that puts a buffered reflection into effect. */
export function activateReflection(reflection: SummaryEvent, runId: string): SummaryEvent {
  return activated([reflection], { first: reflection, last: reflection, runId });
}

function activated(
  summaries: readonly SummaryEvent[],
  { first, last, runId }: { readonly first: SummaryEvent; readonly last: SummaryEvent; readonly runId: string },
): SummaryEvent {
  const sum = (count: (summary: SummaryEvent) => number | undefined) =>
    summaries.reduce((total, summary) => total + (count(summary) ?? 0), 0);
  return {
    type: 'summary',
    runId,
    id: newId(),
    covers: { from: first.covers.from, to: last.covers.to },
    text: summaries.map(({ text }) => text).join('\n'),
    kind: last.kind,
    activates: summaries.map(({ id }) => id),
    ...defined({ currentTask: last.currentTask, suggestedResponse: last.suggestedResponse }),
    tokens: sum(({ tokens }) => tokens),
    coveredMessages: sum(({ coveredMessages }) => coveredMessages),
    coveredTokens: sum(({ coveredTokens }) => coveredTokens),
  };
}
