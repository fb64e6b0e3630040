import type { PathAccess } from '../contract/permissions.ts';

/** Returns the access that the parameters of a relay describe; undefined when they are not fully understood. */
export function pathAccessIn(params: Readonly<Record<string, unknown>>): PathAccess | undefined {
  const { path, kind, mode } = params;
  if (typeof path !== 'string' || !path.startsWith('/')) return undefined;
  if (path.split('/').some((name, index) => index > 0 && path !== '/' && ['', '.', '..'].includes(name)))
    return undefined;
  if ((kind !== 'file' && kind !== 'folder') || (mode !== 'read' && mode !== 'write')) return undefined;
  return { path, kind, mode };
}

/** Whether granted access includes the needed one: the same path, or one below a granted folder. */
export function accessCovers(granted: PathAccess, needed: PathAccess): boolean {
  if (granted.mode === 'read' && needed.mode === 'write') return false;
  if (granted.kind === 'file') return needed.kind === 'file' && needed.path === granted.path;
  return needed.path === granted.path || needed.path.startsWith(granted.path === '/' ? '/' : `${granted.path}/`);
}
