import { defined } from '../base/defined.ts';
import type { Problem } from './http-api.ts';

/** One server-sent event. */
export interface SseFrame {
  /** A reader resumes after this event by naming it. */
  readonly id?: string | number;
  /** `message` to a reader when absent. */
  readonly event?: string;
  /** Sent as one `data:` line per line of text. */
  readonly data: string;
}

/** Returns the frame as text, its closing blank line included; line breaks in `id` and `event` are removed. */
export function encodeSse({ id, event, data }: SseFrame): string {
  const idLine = id === undefined ? '' : `id: ${oneLine(id)}\n`;
  const eventLine = event ? `event: ${oneLine(event)}\n` : '';
  // JSON has no line breaks: nearly all frames have one line.
  const lines = data.includes('\n') || data.includes('\r') ? data.split(lineBreak).join('\ndata: ') : data;
  return `${idLine}${eventLine}data: ${lines}\n\n`;
}

/** Returns a comment, which readers ignore: it keeps a connection open. */
export function encodeSseComment(comment: string): string {
  return `: ${oneLine(comment)}\n\n`;
}

const lineBreak = /\r\n|\r|\n/;

function oneLine(value: string | number): string {
  if (typeof value === 'number') return String(value);
  return value.replaceAll(/[\r\n\0]/g, '');
}

/** Writes the chunks of a protocol to an HTTP response. */
export interface Framing {
  /** The headers of the response, `content-type` among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Writes one chunk, given as JSON; a reader that has it resumes after `id`. */
  readonly frame: (json: string, id?: string | number) => string;
  /** Writes why a stream fails, as its last frame; clients of the protocol must understand it. */
  readonly problem: (problem: Problem) => string;
  /** Writes text that readers ignore: it opens a stream and keeps a silent one open. */
  readonly comment: (text: string) => string;
  /** The text written after the last chunk. */
  readonly last: string;
}

/** Server-sent events: one frame with `id` and `data` for each chunk. */
export const sseFraming: Framing = {
  headers: {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'keep-alive',
    'x-accel-buffering': 'no',
  },
  frame: (data, id) => encodeSse({ ...defined({ id }), data }),
  problem: problem => encodeSse({ event: 'error', data: JSON.stringify(problem) }),
  comment: encodeSseComment,
  last: '',
};

/**
 * One JSON value on each line; comments are empty lines. Lines have no ids, so a reader can resume only when the chunks
 * themselves carry the `seq` of their event.
 */
export const ndjsonFraming: Framing = {
  headers: { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
  frame: json => `${json}\n`,
  problem: problem => `${JSON.stringify({ problem })}\n`,
  comment: () => '\n',
  last: '',
};
