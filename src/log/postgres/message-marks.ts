import type { EventOf, LoggedEvent } from '../../events/vocabulary.ts';

/** What PostgreSQL cannot hold in a text. */
const unreadable = new RegExp('[\\0\\p{Cs}]', 'gu');

/** A fact about messages. */
type Mark = Readonly<Record<string, string | number | undefined>>;

/** What events say of messages, as JSON; null when they begin, end and choose none. Their seqs are counted from `base`. */
export function messageMarks(events: readonly LoggedEvent[], base: number): string | null {
  const marks = events.flatMap(event => {
    const mark = markOf(event);
    return mark === undefined ? [] : [{ ...mark, at: event.seq - base, ts: event.ts }];
  });
  return marks.length === 0 ? null : JSON.stringify(marks);
}

function markOf(event: LoggedEvent): Mark | undefined {
  const run = readable(event.runId);
  switch (event.type) {
    case 'user':
      return {
        type: 'user',
        run,
        parent: readable(event.parentMessageId),
        by: readable(event.by),
        text: textOf(event),
      };
    case 'harness_start':
      return {
        type: 'start',
        run,
        parent: readable(event.parentId),
        agent: readable(event.agentId),
        model: readable(event.model),
      };
    case 'harness_end':
      return {
        type: 'end',
        run,
        match: `"runId":${JSON.stringify(event.runId)}`,
        reason: event.reason ?? 'complete',
      };
    case 'branch_selected':
      return { type: 'select', run, parent: readable(event.nodeId) };
    default:
      return undefined;
  }
}

/** The text of a person's message: its parts that are text. */
function textOf({ content }: EventOf<'user'>): string | undefined {
  if (typeof content === 'string') return readable(content);
  return readable(content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n\n'));
}

function readable<Text extends string | undefined>(text: Text): Text {
  return text?.replace(unreadable, '\ufffd') as Text;
}
