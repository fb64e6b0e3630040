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
