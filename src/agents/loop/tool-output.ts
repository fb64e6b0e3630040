import type { ToolOutput } from '../../events/tools.ts';
import type { ToolReturn } from '../contract/tool-values.ts';

/** Returns a tool's return value in the form that the log stores; throws when it is not JSON. */
export function toolOutput(value: ToolReturn): ToolOutput {
  if (typeof value === 'object' && value !== null && 'context' in value) {
    const { context, result = context } = value;
    return { context: asJson(context), result: asJson(result) };
  }
  const both = asJson(value);
  return { context: both, result: both };
}

/** The longest value that a tool may return or report, in characters of JSON: an event with two of them fits into a log. */
const maxLength = 2 * 1024 * 1024;

/** Returns a JSON copy of a value; undefined becomes `null`. Throws when JSON cannot carry it, or it is too long. */
export function asJson(value: unknown): unknown {
  if (typeof value === 'string') return checkLength(value);
  return JSON.parse(checkLength(jsonOf(value)));
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch (error) {
    throw new TypeError(`The tool returned what JSON cannot carry: ${(error as Error).message}`, { cause: error });
  }
}

function checkLength(text: string): string {
  if (text.length <= maxLength) return text;
  throw new RangeError(
    `The tool returned ${text.length} characters; at most ${maxLength} are kept. Ask it for less, or for a part.`,
  );
}
