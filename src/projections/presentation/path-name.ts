/** Returns a path as a person in a folder writes it: relative inside the folder, unchanged outside it. */
export function pathName(path: string, folder: string | undefined): string {
  if (folder === undefined || !path.startsWith('/')) return path;
  const base = folder.replace(/\/+$/, '');
  if (path === base) return '.';
  return path.startsWith(`${base}/`) ? path.slice(base.length + 1) : path;
}
