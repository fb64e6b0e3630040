import { toCount, toList, toRecord } from './wire-value.ts';

/** The maximum length of a patch. A longer one is omitted, because the raw line of its event contains it. */
const mostChars = 200_000;

/** Returns the patch that a program reported for an edit; undefined without one, and for one that is too long. */
export function boundedPatch(value: unknown): string | undefined {
  return typeof value === 'string' && value.includes('@@') && value.length <= mostChars ? value : undefined;
}

/** Returns the structured part of an output with a patch; nothing without one. */
export function reportedPatch(value: unknown): { readonly result?: { readonly patch: string } } {
  const patch = boundedPatch(value);
  return patch === undefined ? {} : { result: { patch } };
}

/** Returns hunks with positions and marked lines as a unified diff; undefined if empty or not understood. */
export function patchText(hunks: unknown): string | undefined {
  const texts = toList(hunks).map(value => {
    const hunk = toRecord(value);
    const [oldStart, oldLines] = [toCount(hunk?.['oldStart']), toCount(hunk?.['oldLines'])];
    const [newStart, newLines] = [toCount(hunk?.['newStart']), toCount(hunk?.['newLines'])];
    const lines = toList(hunk?.['lines']);
    const isUnknown = [oldStart, oldLines, newStart, newLines].includes(undefined);
    if (isUnknown || !lines.every(line => typeof line === 'string')) return undefined;
    return [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...lines].join('\n');
  });
  return texts.length === 0 || texts.includes(undefined) ? undefined : texts.join('\n');
}
