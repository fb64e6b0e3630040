import type { AgentEvent } from '../../events/index.ts';

const keptLength = 64 * 1024;

/** Returns an event that fits into a log: long texts of one that does not are cut, because the raw line has them whole. */
export function fitEvent(event: AgentEvent, maxBytes: number): AgentEvent {
  const text = JSON.stringify(event);
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return event;
  const cut = JSON.stringify(event, (_, value: unknown) => (typeof value === 'string' ? cutText(value) : value));
  if (Buffer.byteLength(cut) <= maxBytes) return JSON.parse(cut) as AgentEvent;
  const { runId, ts, line } = event;
  const raw = { truncated: true, beginning: text.slice(0, 4096) };
  return { type: 'unknown', runId, raw, ...(ts !== undefined && { ts }), ...(line !== undefined && { line }) };
}

function cutText(text: string): string {
  if (text.length <= keptLength) return text;
  return `${text.slice(0, keptLength)}… (${text.length - keptLength} more characters are in the raw line)`;
}
