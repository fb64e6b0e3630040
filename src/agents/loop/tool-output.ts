import type { ToolOutput } from '../../events/index.ts';
import type { ToolReturn } from './tool.ts';

/** Returns a tool's return value in the form that the log stores; throws when it is not JSON. */
export function toolOutput(value: ToolReturn): ToolOutput {
  if (typeof value === 'object' && value !== null && 'context' in value) {
    const { context, result } = value;
    return { context: asJson(context), ...(result !== undefined && { result: asJson(result) }) };
  }
  const both = asJson(value);
  return { context: both, result: both };
}

/** Returns a JSON copy of a value; undefined becomes `null`. */
export function asJson(value: unknown): unknown {
  if (typeof value === 'string' || value === undefined) return value ?? null;
  try {
    return JSON.parse(JSON.stringify(value) ?? 'null');
  } catch (error) {
    throw new TypeError(`The tool returned what JSON cannot carry: ${(error as Error).message}`, { cause: error });
  }
}
