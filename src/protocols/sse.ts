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
