import type { ToolOutput } from '../events/index.ts';

/** A tool's output with its text cut in the middle when it is longer than `max` characters; it says so. */
export function shortenOutput(output: ToolOutput, max: number): ToolOutput {
  if (max === Number.POSITIVE_INFINITY) return output;
  if ('error' in output) return output.error.length <= max ? output : { error: shorten(output.error, max) };
  if (!('context' in output)) return output;
  const text = typeof output.context === 'string' ? output.context : JSON.stringify(output.context);
  return text.length <= max ? output : { ...output, context: shorten(text, max) };
}

function shorten(text: string, max: number): string {
  const head = Math.ceil(max * 0.7);
  const tail = max - head;
  const left = text.length - head - tail;
  return `${text.slice(0, head)}\n[… ${left} characters left out …]\n${text.slice(text.length - tail)}`;
}
