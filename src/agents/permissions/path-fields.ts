import { patchFiles } from '../../projections/activity/patch-files.ts';

/** The paths in the arguments of a call. */
export interface PathFields {
  /** Each path with the name of its field; the names of nested fields are joined by dots. */
  readonly found: readonly { readonly name: string; readonly path: string }[];
  /** Whether an argument may be a path that is not among those found, or leads elsewhere than its text says. */
  readonly isUnclear: boolean;
}

const pathNames = words(`path paths file files filepath filename filenames dir directory directories folder folders cwd
  workdir root roots target targets source src destination dest from to uri location locations notebook read write`);
const patchNames = words('patch input');
/** The names of arguments that never hold a path. */
const otherNames = words(`content contents text texts str string code body line lines before after diff edits
  description title reason explanation prompt message question language kind type mode id command commands status
  activeform replacement header subject`);
const searchNames = words('pattern query queries regex glob include exclude');

/** Finds the paths in the arguments of a call by the names of its fields, however deep they are. */
export function readPathFields(input: unknown): PathFields {
  const found: { name: string; path: string }[] = [];
  let isUnclear = false;
  const visit = (value: unknown, name: string, field: string): void => {
    if (Array.isArray(value)) value.forEach((item, index) => visit(item, `${name}.${index}`, field));
    else if (typeof value === 'object' && value !== null)
      for (const [key, item] of Object.entries(value)) {
        // Some programs list changes by their paths.
        if (/[/\\.~]/.test(key)) found.push({ name, path: key });
        visit(item, name === '' ? key : `${name}.${key}`, key);
      }
    else if (typeof value === 'string' && value !== '') isUnclear = !read(value, name, getKind(field)) || isUnclear;
  };
  /** Returns whether the argument is understood. */
  const read = (text: string, name: string, kind: FieldKind): boolean => {
    if (kind === 'other' || (kind !== 'patch' && /^https?:\/\//i.test(text))) return true;
    if (kind === 'search') return !/^[/~]|\.\./.test(text);
    if (kind === 'patch') {
      const files = patchFiles(text);
      for (const { path } of files) found.push({ name, path });
      return files.length > 0;
    }
    if (kind === 'path') found.push({ name, path: text });
    // A program may expand these to another path.
    return kind === 'path' && !/^~|[$%\\\n\r]|^[a-z][\w+.-]*:/i.test(text);
  };
  visit(input, '', '');
  return { found, isUnclear };
}

/** Whether an argument, or the dotted path of one, has the name of a path. */
export function isPathName(name: string): boolean {
  return getKind(name.split('.').findLast(part => !/^\d+$/.test(part)) ?? '') === 'path';
}

type FieldKind = 'path' | 'patch' | 'search' | 'other' | 'unknown';

/** The kind of a field by the last word of its name: `newText`, `file_text` and `text` are alike. */
function getKind(field: string): FieldKind {
  const parts = field
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_-]/);
  const last = parts.at(-1) ?? '';
  if (patchNames.has(parts[0] ?? '') && (parts.length === 1 || last === 'text')) return 'patch';
  if (field === 'new_source' || otherNames.has(last)) return 'other';
  if (pathNames.has(last) || (last === 'name' && parts.at(-2) === 'file')) return 'path';
  return searchNames.has(last) ? 'search' : 'unknown';
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}
