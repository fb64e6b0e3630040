import { resolvePath } from '../activity/path.ts';

/** Devices and temporary folders, which are safe to overwrite. */
const free = /^(?:\/dev\/(?:null|zero|std\w+|tty|fd\/\d+)$|(?:\/private)?(?:\/var)?\/tmp\/|\$\{?TMPDIR\}?\/)/;
/** Folders of the system, and of the person. */
const system = /^(?:\/(?:etc|usr|bin|sbin|lib\w*|boot|dev|sys|proc|root|var|opt|System|Library)(?:\/|$)|~|\$\{?HOME\b)/;
/** Files of a project that its history does not have. */
const unrecorded = /(?:^|\/)(?:\.git\/|\.env(?:\.[\w-]+)?$)/;

/**
 * Returns whether writing a path may overwrite a file that cannot be restored: it is outside of the working folder, or
 * version control does not have it. Without a folder only system and home paths count as outside.
 */
export function isOutsideFolder(path: string, cwd: string | undefined): boolean {
  if (free.test(path)) return false;
  if (system.test(path) && (cwd === undefined || !isWithin(path, cwd))) return true;
  if (unrecorded.test(path)) return true;
  if (path.startsWith('$')) return false;
  if (path.startsWith('/')) return cwd !== undefined && !isWithin(path, cwd);
  return resolvePath('.', path).startsWith('..');
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder.replace(/\/$/, '')}/`);
}
