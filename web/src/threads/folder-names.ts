/** Returns a short name for each of some folders: as many of its last parts as make it unique. */
export function folderNames(folders: Iterable<string>): ReadonlyMap<string, string> {
  const all = [...new Set(folders)].map(folder => ({ folder, parts: folder.split(/[/\\]+/).filter(Boolean) }));
  const names = new Map<string, string>();
  for (let length = 1, open = all; open.length > 0; length++) {
    const named = open.map(({ folder, parts }) => ({ folder, parts, name: parts.slice(-length).join('/') || folder }));
    const count = (wanted: string) => named.filter(({ name }) => name === wanted).length;
    const isClear = ({ parts, name }: (typeof named)[number]) => count(name) === 1 || parts.length <= length;
    for (const each of named.filter(isClear)) names.set(each.folder, each.name);
    open = named.filter(each => !isClear(each));
  }
  return names;
}
