import { isAbsolute, relative } from 'node:path';

/** Returns a path as a person in a folder writes it: relative inside the folder, unchanged outside it. */
export function pathFrom(folder: string, path: string): string {
  if (!isAbsolute(path)) return path;
  const inside = relative(folder, path);
  if (inside === '') return '.';
  return inside.startsWith('..') || isAbsolute(inside) ? path : inside;
}
