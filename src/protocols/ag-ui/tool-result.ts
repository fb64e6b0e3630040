import type { ToolOutput } from '../../events/tools.ts';
import { resultOf } from '../request/shown-call.ts';
import type { AgUiMetadata } from './ag-ui-event.ts';

/** The text of a result, and whether the call failed or was denied. */
export interface ResultText {
  readonly content: string;
  readonly metadata?: AgUiMetadata;
}

/** Returns the result of a call as text. */
export function toResultText(output: ToolOutput): ResultText {
  if ('error' in output) return { content: output.error, metadata: { singletree: { status: 'failed' } } };
  if (!('context' in output)) return { content: output.reason, metadata: { singletree: { status: 'denied' } } };
  const result = resultOf(output);
  return { content: typeof result === 'string' ? result : (JSON.stringify(result) ?? '') };
}

/** Returns the input of a call as the JSON of its arguments. */
export function toArguments(input: unknown): string {
  return JSON.stringify(input) ?? '{}';
}
