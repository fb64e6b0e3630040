/** The path seen from a folder: absolute paths stay, `.` and `..` are resolved where that is possible. */
export function resolvePath(folder: string | undefined, path: string): string {
  if (path.startsWith('/') || folder === undefined) return path;
  const absolute = folder.startsWith('/');
  const parts: string[] = [];
  for (const part of `${folder}/${path}`.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (!absolute) parts.push('..');
  }
  const joined = parts.join('/');
  return absolute ? `/${joined}` : joined || '.';
}
