import { parseSystemReminder } from '../../control/harness/messages/system-reminder.ts';
import { type EventLog, readWindow } from '../../log/index.ts';
import type { ViewPart } from '../../projections/index.ts';
import { LoadedRange } from '../../projections/reading/ranges/loaded-range.ts';
import type { ThreadFollower } from './thread-follower.ts';

/** A message of the person in a thread. */
export interface SentMessage {
  readonly messageId: string;
  readonly text: string;
  /** Milliseconds since 1970, when that is known. */
  readonly at: number | undefined;
}

/** How many events of a long thread are read for its messages. */
const mostEvents = 5_000;

/** Returns the messages of the person in a thread, those of its newest part when it is long, the oldest first. */
export async function sentMessages(log: EventLog, threadId: string): Promise<readonly SentMessage[]> {
  const window = await readWindow(log, threadId, { limit: mostEvents });
  const { nodes, hidden } = LoadedRange.of(window, mostEvents).view();
  const times = new Map(
    window.events.flatMap(({ type, runId, ts }) => (type === 'user' ? [[runId, Date.parse(ts)] as const] : [])),
  );
  return nodes.flatMap(({ id, role, text, runId = id }) => {
    if (role !== 'user' || hidden.has(id) || parseSystemReminder(text) !== undefined) return [];
    return [{ messageId: id, text, at: times.get(runId) }];
  });
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
