/** One file that a patch names. */
export interface PatchFile {
  readonly action: 'add' | 'update' | 'delete' | 'move';
  readonly path: string;
}

/** The part of a patch for one file; its lines are those of a unified diff, and hunks begin with `@@`. */
export interface PatchSection {
  readonly action: 'add' | 'update' | 'delete';
  readonly path: string;
  readonly moveTo?: string;
  readonly lines: readonly string[];
}

const marker = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+?)\s*$/;
const actions = { 'Add File': 'add', 'Update File': 'update', 'Delete File': 'delete' } as const;

/** The sections of an `apply_patch` text, in order; one that is not whole yet has the lines that are there. */
export function patchSections(patch: string): PatchSection[] {
  const sections: { action: PatchSection['action']; path: string; moveTo?: string; lines: string[] }[] = [];
  for (const line of patch.split('\n')) {
    const [, name, path] = marker.exec(line) ?? [];
    const last = sections.at(-1);
    if (name === undefined || path === undefined) {
      if (!line.startsWith('*** ')) last?.lines.push(line);
    } else if (name !== 'Move to') sections.push({ action: actions[name as keyof typeof actions], path, lines: [] });
    else if (last !== undefined) last.moveTo = path;
  }
  return sections;
}

/** The files that the markers of an `apply_patch` text name, in order, each path once; a move names both its paths. */
export function patchFiles(patch: string): PatchFile[] {
  const files = new Map<string, PatchFile>();
  for (const { action, path, moveTo } of patchSections(patch))
    for (const file of [{ action, path }, ...(moveTo === undefined ? [] : [{ action: 'move' as const, path: moveTo }])])
      if (!files.has(file.path)) files.set(file.path, file);
  return [...files.values()];
}
