import { toList, toRecord, toText } from '../../../shared/wire-value.ts';

/** The files that a change of files touches. */
export function changedPaths(changes: unknown): string[] {
  return toList(changes).flatMap(value => {
    const change = toRecord(value);
    return [toText(change?.['path']), toText(change?.['movePath'])].filter(path => path !== undefined);
  });
}

/** Returns a change of files as one unified diff; undefined when it carries no text. */
export function unifiedDiff(changes: unknown): string | undefined {
  const parts = toList(changes).flatMap(value => {
    const change = toRecord(value);
    const path = toText(change?.['path']);
    const diff = toText(change?.['diff']);
    if (path === undefined || diff === undefined) return [];
    const target = toText(change?.['movePath']) ?? path;
    if (change?.['kind'] === 'add') return [`--- /dev/null\n+++ ${path}\n${wholeFile(diff, '+')}`];
    if (change?.['kind'] === 'delete') return [`--- ${path}\n+++ /dev/null\n${wholeFile(diff, '-')}`];
    return [`--- ${path}\n+++ ${target}\n${ended(diff)}`];
  });
  return parts.length === 0 ? undefined : parts.join('');
}

/** An added or deleted file comes as its content; a diff of it is passed through. */
function wholeFile(content: string, sign: '+' | '-'): string {
  if (content.startsWith('@@ ')) return ended(content);
  const isEnded = content.endsWith('\n');
  const lines = (isEnded ? content.slice(0, -1) : content).split('\n');
  const range = sign === '+' ? `-0,0 +1,${lines.length}` : `-1,${lines.length} +0,0`;
  const body = lines.map(line => `${sign}${line}\n`).join('');
  return `@@ ${range} @@\n${body}${isEnded ? '' : '\\ No newline at end of file\n'}`;
}

function ended(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}
