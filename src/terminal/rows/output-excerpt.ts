import type { ToolOutput } from '../../events/index.ts';
import { type Line, span, verbatim } from '../screen/styled-line.ts';
import { rowLines } from '../../events/terminal-text.ts';

/** The longest line of an output that is shown whole. */
const mostColumns = 500;

/** Returns the text that a tool gave back; empty when it has none. */
export function outputText(output: ToolOutput | undefined): string {
  if (output === undefined) return '';
  if ('error' in output) return output.error;
  if ('status' in output) return output.reason;
  const { context } = output;
  if (typeof context === 'string') return context;
  if (Array.isArray(context)) return context.map(part => (isText(part) ? part.text : `[${typeOf(part)}]`)).join('\n');
  return context === undefined || context === null ? '' : JSON.stringify(context, undefined, 1);
}

function typeOf(part: unknown): string {
  const { type } = (typeof part === 'object' && part !== null ? part : {}) as { readonly type?: unknown };
  return typeof type === 'string' ? type : 'value';
}

function isText(part: unknown): part is { readonly text: string } {
  return typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string';
}

/** Returns how many lines a text has, without an empty one at its end. */
export function countLines(text: string): number {
  const trimmed = text.replace(/\n+$/, '');
  return trimmed === '' ? 0 : trimmed.split('\n').length;
}

/** Returns the first and the last lines of a text, and between them how many are hidden. */
export function excerpt(text: string, most: number): Line[] {
  const lines = rowLines(text.replace(/\n+$/, ''));
  if (lines.length === 1 && lines[0] === '') return [];
  if (lines.length <= most) return lines.map(shortened);
  const head = Math.max(0, Math.ceil((most - 1) / 2));
  const tail = Math.max(0, most - 1 - head);
  return [
    ...lines.slice(0, head).map(shortened),
    [span(`… ${lines.length - head - tail} lines hidden (Ctrl+O) …`, 'dim')],
    ...lines.slice(lines.length - tail).map(shortened),
  ];
}

/** A line with its middle left out when it is very long. */
function shortened(line: string): Line {
  if (line.length <= mostColumns) return verbatim([span(line, 'dim')]);
  const [head, tail] = [line.slice(0, 300), line.slice(-100)];
  return verbatim([span(head, 'dim'), span(` … ${line.length - 400} characters hidden … `, 'dim'), span(tail, 'dim')]);
}
