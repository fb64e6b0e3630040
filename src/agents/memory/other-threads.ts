import type { Message } from '../../projections/message.ts';
import { countTokens } from '../model/tokens/tokens.ts';
import { tokensOfSummaries } from './memory-contents.ts';
import type { SummaryEvent, ThreadObservations } from '../contract/memory.ts';

const title =
  'Observations of other conversations of the same person, oldest first. They are no part of this conversation.';

/**
 * Returns the message that shows a model the observations of other threads; undefined when there are none. Of the
 * newest threads as many observations as have at most `maxTokens`, of one thread the newest.
 */
export async function otherThreadsMessage(
  newestFirst: readonly ThreadObservations[],
  maxTokens: number,
): Promise<Extract<Message, { role: 'user' }> | undefined> {
  let left = maxTokens - (await tokensOfText(title));
  const shown: (ThreadObservations & { readonly text: string })[] = [];
  for (const thread of newestFirst) {
    const heading = formatHeading(thread);
    const fitting = await newestWithin(thread.observations, left - (await tokensOfText(heading)));
    if (fitting.length === 0) continue;
    const text = [heading, ...fitting.map(summary => summary.text)].join('\n');
    left -= await tokensOfText(text);
    shown.push({ ...thread, text });
  }
  if (shown.length === 0) return undefined;
  // An order that new messages in these threads do not change.
  const sorted = shown.toSorted((one, other) => (toKey(one) < toKey(other) ? -1 : 1));
  return { role: 'user', content: [title, ...sorted.map(({ text }) => text)].join('\n\n') };
}

function formatHeading({ threadId, createdAt }: ThreadObservations): string {
  return `Conversation ${threadId} (began ${createdAt.slice(0, 10)}):`;
}

function toKey({ threadId, createdAt }: ThreadObservations): string {
  return `${createdAt} ${threadId}`;
}

async function newestWithin(observations: readonly SummaryEvent[], maxTokens: number): Promise<SummaryEvent[]> {
  const fitting: SummaryEvent[] = [];
  let tokens = 0;
  for (const summary of observations.toReversed()) {
    tokens += await tokensOfSummaries([summary]);
    if (tokens > maxTokens) break;
    fitting.unshift(summary);
  }
  return fitting;
}

function tokensOfText(content: string): Promise<number> {
  return countTokens([{ role: 'user', content }]);
}
