/** The kind of change of a file between two states of a repository. */
export type FileAction = 'add' | 'update' | 'delete';

/** The changed lines of a file; both absent for one that is not text. */
export interface LineCounts {
  readonly added?: number;
  readonly removed?: number;
}

const actions: Readonly<Record<string, FileAction>> = { A: 'add', D: 'delete' };

/** Parses the output of git with `--name-status -z --no-renames`, by path. */
export function parseActions(output: string): ReadonlyMap<string, FileAction> {
  const fields = nulFields(output);
  return new Map(
    fields.flatMap((path, at) => (at % 2 === 0 ? [] : [[path, actions[fields[at - 1] ?? ''] ?? 'update'] as const])),
  );
}

/** Parses the output of git with `--numstat -z --no-renames`, by path. */
export function parseCounts(output: string): ReadonlyMap<string, LineCounts> {
  return new Map(
    nulFields(output).map(line => {
      const [added = '-', removed = '-', ...path] = line.split('\t');
      return [path.join('\t'), added === '-' ? {} : { added: Number(added), removed: Number(removed) }] as const;
    }),
  );
}

/** The fields of a list that git separates by NUL. */
export function nulFields(output: string): string[] {
  return output.split('\0').filter(Boolean);
}
