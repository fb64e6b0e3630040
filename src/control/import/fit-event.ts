import { defined } from '../../events/defined.ts';
import { type AgentEvent, parseEvent } from '../../events/index.ts';

const keptLength = 64 * 1024;

/**
 * Returns an event that a log takes. Long texts of one that is too long are cut, because the raw line has them whole; one
 * with fields of another form than events have is `unknown`.
 */
export function fitEvent(event: AgentEvent, maxBytes: number): AgentEvent {
  const text = JSON.stringify(event);
  if (!isValid(event)) return asUnknown(event, text);
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return event;
  const cut = JSON.stringify(event, (_, value: unknown) => (typeof value === 'string' ? cutText(value) : value));
  if (Buffer.byteLength(cut) <= maxBytes) return JSON.parse(cut) as AgentEvent;
  return asUnknown(event, text);
}

function isValid(event: AgentEvent): boolean {
  try {
    parseEvent(event);
    return true;
  } catch {
    return false;
  }
}

function asUnknown({ runId, ts, line }: AgentEvent, text: string): AgentEvent {
  return { type: 'unknown', runId, raw: { beginning: text.slice(0, 4096) }, ...defined({ ts, line }) };
}

function cutText(text: string): string {
  if (text.length <= keptLength) return text;
  return `${text.slice(0, keptLength)}… (${text.length - keptLength} more characters are in the raw line)`;
}
