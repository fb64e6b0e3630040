/** One file that a patch names. */
export interface PatchFile {
  readonly action: 'add' | 'update' | 'delete' | 'move';
  readonly path: string;
}

const marker = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+?)\s*$/;
const actions = { 'Add File': 'add', 'Update File': 'update', 'Delete File': 'delete', 'Move to': 'move' } as const;

/** The files that the markers of an `apply_patch` text name, in order, each path once; a move names both its paths. */
export function patchFiles(patch: string): PatchFile[] {
  const files = new Map<string, PatchFile>();
  for (const line of patch.split('\n')) {
    const [, name, path] = marker.exec(line) ?? [];
    if (name === undefined || path === undefined || files.has(path)) continue;
    files.set(path, { action: actions[name as keyof typeof actions], path });
  }
  return [...files.values()];
}
