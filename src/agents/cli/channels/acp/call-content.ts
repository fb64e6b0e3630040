import type { ToolOutput } from '../../../../events/tools.ts';
import { listOf, numberOf, recordOf, textOf, type WireRecord } from '../../shared/wire-value.ts';
import type { CallFields } from './profile.ts';
import { type TextChange, unifiedDiff } from '../../../workspace/unified-diff.ts';

/** The text in the content of a call; undefined when it has none. */
export function contentText(content: unknown): string | undefined {
  const texts = listOf(content).flatMap(item => {
    const block = recordOf(recordOf(item)?.['content']);
    return typeof block?.['text'] === 'string' ? [block['text']] : [];
  });
  return texts.length === 0 ? undefined : texts.join('\n');
}

/** The changes of files in the content of a call. */
export function contentDiffs(content: unknown): TextChange[] {
  return listOf(content).flatMap(item => {
    const { type, path, oldText, newText } = recordOf(item) ?? {};
    if (type !== 'diff' || typeof path !== 'string' || typeof newText !== 'string') return [];
    return [{ path, oldText: typeof oldText === 'string' ? oldText : '', newText }];
  });
}

/** The files that a call is about. */
export function pathsOf({ locations, content }: CallFields): string[] {
  const located = listOf(locations).flatMap(location => textOf(recordOf(location)?.['path']) ?? []);
  return [...new Set([...located, ...contentDiffs(content).map(({ path }) => path)])];
}

/** The outcome of an ended call as its content or raw output states it. */
export function outputOf({ status, content, rawOutput }: CallFields): ToolOutput {
  const diffs = contentDiffs(content);
  const text = contentText(content);
  const raw = typeof rawOutput === 'string' ? rawOutput : undefined;
  if (status === 'failed') {
    const { error, message } = recordOf(rawOutput) ?? {};
    return { error: text ?? textOf(error) ?? textOf(message) ?? raw ?? 'The tool failed.' };
  }
  if (wasKilled(recordOf(rawOutput))) return { error: text ?? raw ?? 'The command was stopped.' };
  const { content: stated, message } = recordOf(rawOutput) ?? {};
  const context = text ?? raw ?? textOf(stated) ?? textOf(message) ?? unifiedDiff(diffs) ?? rawOutput ?? '';
  const exitCode = exitCodeOf(recordOf(rawOutput));
  return exitCode === undefined ? { context } : { context, result: { exitCode } };
}

/** Whether the raw output of a command says that it did not end by itself: it has a signal, or no exit code where one belongs. */
function wasKilled(rawOutput: WireRecord | undefined): boolean {
  const { signal, exit_code: exitCode, exitCode: code, aborted, metadata } = rawOutput ?? {};
  const hasSignal = typeof signal === 'string' || (typeof signal === 'number' && signal !== 0);
  return hasSignal || aborted === true || exitCode === null || code === null || recordOf(metadata)?.['exit'] === null;
}

function exitCodeOf(rawOutput: WireRecord | undefined): number | undefined {
  return numberOf(rawOutput?.['exit_code']) ?? numberOf(rawOutput?.['exitCode']);
}
