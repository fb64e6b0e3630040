import { defined } from '../../base/defined.ts';

/** A text in a file that was replaced by another; `line` is where it begins, when that is known. */
export interface TextEdit {
  readonly before: string;
  readonly after: string;
  readonly line?: number;
}

/** The recorded changes of a call to one file: replaced texts, the whole content, or a patch. */
export interface FileChange {
  readonly path: string;
  readonly action: 'add' | 'update' | 'delete';
  readonly moveTo?: string;
  readonly edits?: readonly TextEdit[];
  /** The whole new content. */
  readonly content?: string;
  /** The hunks of a unified diff; their positions may be missing. */
  readonly patch?: string;
}

/** Returns the changes of a unified diff; `path` names the file of hunks without a head. */
export function changesOfDiff(diff: string, path?: string): readonly FileChange[] {
  const changes: { path: string; action: FileChange['action']; moveTo?: string; lines: string[] }[] = [];
  const lines = diff.split('\n');
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1] ?? '';
    const last = changes.at(-1);
    if (line.startsWith('--- ') && next.startsWith('+++ ')) {
      const [before, after] = [fileName(line), fileName(next)];
      const action = before === undefined ? 'add' : after === undefined ? 'delete' : 'update';
      const moveTo = action === 'update' && after !== before ? after : undefined;
      changes.push({ path: before ?? after ?? '', action, lines: [], ...defined({ moveTo }) });
    } else if (line.startsWith('@@') && last === undefined && path !== undefined)
      changes.push({ path, action: 'update', lines: [line] });
    else if (last !== undefined && (last.lines.length > 0 || line.startsWith('@@'))) {
      if (!/^(?:diff --git|index |Index: |new file|deleted file|similarity|rename|=====)/.test(line))
        last.lines.push(line);
    }
  }
  return changes.map(({ lines: hunks, ...change }) => ({ ...change, patch: hunks.join('\n').trimEnd() }));
}

/** The file that a line of the head of a diff names; undefined for `/dev/null`. */
function fileName(line: string): string | undefined {
  const name = line.slice(4).split('\t', 1)[0]?.trim() ?? '';
  return name === '/dev/null' ? undefined : name.replace(/^[ab]\//, '');
}
