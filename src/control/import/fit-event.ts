import { defined } from '../../base/defined.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { plainEvent } from '../../log/encode.ts';

const keptLength = 64 * 1024;

/**
 * Returns an event that a log takes, in a copy that was checked. Long texts of one that is too long are cut, because the
 * raw line has them whole; one with fields of another form than events have is `unknown`.
 */
export function fitEvent(event: AgentEvent, maxBytes: number): AgentEvent {
  try {
    const { event: copy, length } = plainEvent(event);
    // A character has at most three bytes, and an escape six characters.
    if (length * 6 <= maxBytes) return copy;
    const text = JSON.stringify(copy);
    if (Buffer.byteLength(text) <= maxBytes) return copy;
    const cut = JSON.stringify(copy, (_, value: unknown) => (typeof value === 'string' ? cutText(value) : value));
    return Buffer.byteLength(cut) <= maxBytes ? (JSON.parse(cut) as AgentEvent) : asUnknown(event, text);
  } catch (error) {
    if (!SingletreeError.is(error)) throw error;
    return asUnknown(event, JSON.stringify(event));
  }
}

function asUnknown({ runId, ts, line }: AgentEvent, text: string): AgentEvent {
  return { type: 'unknown', runId, raw: { beginning: text.slice(0, 4096) }, ...defined({ ts, line }) };
}

function cutText(text: string): string {
  if (text.length <= keptLength) return text;
  return `${text.slice(0, keptLength)}… (${text.length - keptLength} more characters are in the raw line)`;
}
