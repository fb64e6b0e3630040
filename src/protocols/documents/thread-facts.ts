import type { LoggedEvent } from '../../events/vocabulary.ts';
import { defaultActive } from '../../graph/conversation/active.ts';
import { createConversation, reduceConversation } from '../../graph/conversation/conversation.ts';
import { foldAll } from '../../projections/fold.ts';
import { dollars, shortCount } from '../../projections/presentation/wording.ts';
import { projectThread } from '../../projections/reading/project-thread.ts';
import type { ViewNode } from '../../projections/reading/view-node.ts';
import { totals } from '../../projections/totals.ts';
import type { ThreadDocument } from './thread-document.ts';

/** Returns the whole active branch of a thread as visible messages. */
export function readDocument(events: readonly LoggedEvent[]): ViewNode[] {
  const conversation = events.reduce(reduceConversation, createConversation());
  const { messages } = defaultActive(conversation);
  return projectThread(conversation, { messages, full: true });
}

/** Returns the title of a document, and facts about its thread: when, by which agents and models, at which cost. */
export function describeThread({ title, threadId, events }: ThreadDocument): { title: string; facts: string[] } {
  const { agents, models, all } = foldAll(totals, events);
  const [first, last] = [events[0]?.ts, events.at(-1)?.ts];
  const tokens = all.inputTokens + all.outputTokens;
  const facts = [
    first === undefined || last === undefined ? '' : formatSpan(first, last),
    agents.flatMap(({ agentId }) => agentId || []).join(', '),
    models.flatMap(({ modelId }) => modelId || []).join(', '),
    tokens > 0 ? `${shortCount(tokens)} tokens` : '',
    all.cost === undefined ? '' : dollars(all.cost),
  ];
  return { title: title ?? `Thread ${threadId}`, facts: facts.filter(fact => fact !== '') };
}

/** Formats two times in UTC, such as "2026-11-17 10:00 – 10:04 UTC". */
function formatSpan(from: string, to: string): string {
  const [start, end] = [minute(from), minute(to)];
  if (start === end) return `${start} UTC`;
  return `${start} – ${start.slice(0, 10) === end.slice(0, 10) ? end.slice(11) : end} UTC`;
}

/** Formats a time in UTC to the minute, such as "2026-11-17 10:00". */
export function minute(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? '' : time.toISOString().slice(0, 16).replace('T', ' ');
}

/** Returns the author of a message. */
export function getAuthor({ role, agentId, parts }: ViewNode): string {
  if (role === 'summary') return 'Summary';
  if (role !== 'user') return agentId ?? 'Agent';
  const said = parts.find(part => part.kind === 'user');
  return said?.by ?? 'User';
}

/** Longer pauses are played as this one, in milliseconds. */
const longestPause = 3_000;

/** The times of the event at a seq: by the clock, and in a playback without long pauses. */
export class PlaybackTimes {
  readonly #at = new Map<number, { readonly ts: string; readonly offset: number }>();

  constructor(events: readonly LoggedEvent[]) {
    let [offset, before] = [0, Number.NaN];
    for (const { seq, ts } of events) {
      const now = Date.parse(ts);
      if (now > before) offset += Math.min(now - before, longestPause);
      if (!(now <= before)) before = now;
      this.#at.set(seq, { ts, offset });
    }
  }

  getTime(part: { readonly seq?: number } | undefined): string | undefined {
    return this.#at.get(part?.seq ?? -1)?.ts;
  }

  getOffset(part: { readonly seq?: number } | undefined): number | undefined {
    return this.#at.get(part?.seq ?? -1)?.offset;
  }
}
