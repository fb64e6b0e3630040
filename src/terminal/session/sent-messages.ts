import type { ViewPart } from '../../projections/index.ts';
import type { ThreadFollower } from './thread-follower.ts';

/** A message of the person in a thread. */
export interface SentMessage {
  readonly messageId: string;
  readonly text: string;
  /** Milliseconds since 1970, when that is known. */
  readonly at: number | undefined;
}

/** Returns the messages of the person in a thread, the oldest first. */
export function sentMessages(follower: ThreadFollower | undefined): readonly SentMessage[] {
  if (follower === undefined) return [];
  const sent: SentMessage[] = [];
  for (const { id, role, text } of follower.reading.nodes)
    if (role === 'user') sent.push({ messageId: id, text, at: undefined });
  return sent;
}

/** Returns the id of the message in whose turn earlier messages were summarised last; undefined when none is known. */
export function summarisedIn(follower: ThreadFollower | undefined): string | undefined {
  let [isFound, id]: [boolean, string | undefined] = [false, undefined];
  follower?.reading.nodeList.findLast(({ id: nodeId, role, partList }) => {
    isFound ||= partList.findLast(part => isCompaction(part) || undefined) === true;
    if (isFound && role === 'user') id = nodeId;
    return id;
  });
  return id;
}

function isCompaction(part: ViewPart): boolean {
  if (part.kind !== 'fact' || part.event.type !== 'summary') return false;
  return part.event.kind === 'compaction' && part.event.active !== false;
}
