import type { ToolOutput } from '../events/tools.ts';

/**
 * A tool's output with its text cut in the middle when it is longer than `max` characters; it says so. What comes out
 * is not longer than `max`, so shortening it again changes nothing.
 */
export function shortenOutput(output: ToolOutput, max: number): ToolOutput {
  if (max === Number.POSITIVE_INFINITY) return output;
  if ('error' in output) return output.error.length <= max ? output : { error: shorten(output.error, max) };
  if (!('context' in output)) return output;
  const text = typeof output.context === 'string' ? output.context : JSON.stringify(output.context);
  return text.length <= max ? output : { ...output, context: shorten(text, max) };
}

function shorten(text: string, max: number): string {
  const room = max - notice(text.length).length;
  if (room <= 0) return text.slice(0, headEnd(text, max));
  const head = headEnd(text, Math.ceil(room * 0.7));
  const tail = tailStart(text, text.length - (room - head));
  return `${text.slice(0, head)}${notice(tail - head)}${text.slice(tail)}`;
}

function notice(left: number): string {
  return `\n[… ${left} characters left out …]\n`;
}

/** The cut at or before a place; it does not part the halves of a character. */
function headEnd(text: string, at: number): number {
  return isLowSurrogate(text, at) ? at - 1 : at;
}

/** The cut at or after a place; it does not part the halves of a character. */
function tailStart(text: string, at: number): number {
  return isLowSurrogate(text, at) ? at + 1 : at;
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
