/** One server-sent event. */
export interface SseFrame {
  /** What a reader names to go on after this event. */
  readonly id?: string | number;
  /** `message` to a reader when absent. */
  readonly event?: string;
  /** Sent as one `data:` line per line of text. */
  readonly data: string;
}

/** The frame as text, its closing blank line included; line breaks in `id` and `event` are removed. */
export function encodeSse({ id, event, data }: SseFrame): string {
  const head = [...(id === undefined ? [] : [`id: ${oneLine(id)}`]), ...(event ? [`event: ${oneLine(event)}`] : [])];
  return `${[...head, ...data.split(lineBreak).map(line => `data: ${line}`)].join('\n')}\n\n`;
}

/** A comment, which readers ignore: it keeps a connection open. */
export function encodeSseComment(comment: string): string {
  return `: ${oneLine(comment)}\n\n`;
}

const lineBreak = /\r\n|\r|\n/;

function oneLine(value: string | number): string {
  return String(value).replaceAll(/[\r\n\0]/g, '');
}
