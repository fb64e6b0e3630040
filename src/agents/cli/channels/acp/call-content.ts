import type { ToolOutput } from '../../../../events/tools.ts';
import { toList, toNumber, toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import type { CallFields } from './profile.ts';
import { type TextChange, unifiedDiff } from '../../../workspace/unified-diff.ts';

/** The text in the content of a call; undefined when it has none. */
export function contentText(content: unknown): string | undefined {
  const texts = toList(content).flatMap(item => {
    const block = toRecord(toRecord(item)?.['content']);
    return typeof block?.['text'] === 'string' ? [block['text']] : [];
  });
  return texts.length === 0 ? undefined : texts.join('\n');
}

/** The changes of files in the content of a call. */
export function contentDiffs(content: unknown): TextChange[] {
  return toList(content).flatMap(item => {
    const { type, path, oldText, newText } = toRecord(item) ?? {};
    if (type !== 'diff' || typeof path !== 'string' || typeof newText !== 'string') return [];
    return [{ path, oldText: typeof oldText === 'string' ? oldText : '', newText }];
  });
}

/** The files that a call is about. */
export function listPaths({ locations, content }: CallFields): string[] {
  const located = toList(locations).flatMap(location => toText(toRecord(location)?.['path']) ?? []);
  return [...new Set([...located, ...contentDiffs(content).map(({ path }) => path)])];
}

/** The outcome of an ended call as its content or raw output states it. */
export function toOutput({ status, content, rawOutput }: CallFields): ToolOutput {
  const diffs = contentDiffs(content);
  const text = contentText(content);
  const raw = typeof rawOutput === 'string' ? rawOutput : undefined;
  if (status === 'failed') {
    const { error, message } = toRecord(rawOutput) ?? {};
    return { error: text ?? toText(error) ?? toText(message) ?? raw ?? 'The tool failed.' };
  }
  if (wasKilled(toRecord(rawOutput))) return { error: text ?? raw ?? 'The command was stopped.' };
  const { content: stated, message } = toRecord(rawOutput) ?? {};
  const context = text ?? raw ?? toText(stated) ?? toText(message) ?? unifiedDiff(diffs) ?? rawOutput ?? '';
  const exitCode = readExitCode(toRecord(rawOutput));
  return exitCode === undefined ? { context } : { context, result: { exitCode } };
}

/** Returns whether the raw output of a command states an abnormal end: a signal, an abort or a null exit code. */
function wasKilled(rawOutput: WireRecord | undefined): boolean {
  const { signal, exit_code: exitCode, exitCode: code, aborted, metadata } = rawOutput ?? {};
  const hasSignal = typeof signal === 'string' || (typeof signal === 'number' && signal !== 0);
  return hasSignal || aborted === true || exitCode === null || code === null || toRecord(metadata)?.['exit'] === null;
}

function readExitCode(rawOutput: WireRecord | undefined): number | undefined {
  return toNumber(rawOutput?.['exit_code']) ?? toNumber(rawOutput?.['exitCode']);
}
