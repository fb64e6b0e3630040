import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Settings of a repository that name no program and start none, by section; `true` is every key of the section. */
const plainSettings: Readonly<Record<string, ReadonlySet<string> | true>> = {
  core: new Set(
    (
      'repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol safecrlf ' +
      'longpaths quotepath abbrev'
    ).split(' '),
  ),
  remote: new Set(['url', 'pushurl', 'fetch', 'tagopt', 'prune']),
  extensions: new Set(['worktreeconfig', 'refstorage']),
  ...Object.fromEntries(
    ['advice', 'branch', 'color', 'fetch', 'gc', 'init', 'pull', 'push', 'user'].map(name => [name, true as const]),
  ),
};

/**
 * Whether git, when it only looks at the repository of a folder, runs no program because of it: its settings are known
 * to name none, it has no hooks and no submodules, and it fetches nothing. What the person's own settings name counts as
 * wanted. False for whatever is not understood.
 */
export function isPlainRepository(folder: string): boolean {
  try {
    const top = findTop(realpathSync(folder));
    return top !== undefined && isPlain(top);
  } catch {
    return false;
  }
}

/** The nearest folder with `.git`; undefined when git would take a folder on the way for a repository without one. */
function findTop(folder: string): string | undefined {
  if (existsSync(join(folder, '.git'))) return folder;
  if (existsSync(join(folder, 'HEAD')) || dirname(folder) === folder) return undefined;
  return findTop(dirname(folder));
}

function isPlain(top: string): boolean {
  const marker = join(top, '.git');
  const own = statSync(marker).isDirectory() ? marker : resolve(top, linkIn(readFileSync(marker, 'utf8')));
  const common = existsSync(join(own, 'commondir'))
    ? resolve(own, readFileSync(join(own, 'commondir'), 'utf8').trim())
    : own;
  if (existsSync(join(top, '.gitmodules')) || existsSync(join(common, 'modules'))) return false;
  const hooks = join(common, 'hooks');
  if (existsSync(hooks) && !readdirSync(hooks).every(name => name.endsWith('.sample'))) return false;
  if (hasNestedRepository(join(own, 'index'))) return false;
  const files = [join(common, 'config'), join(common, 'config.worktree'), join(own, 'config.worktree')];
  return files.filter(existsSync).every(file => isPlainConfig(readFileSync(file, 'utf8')));
}

/** Whether an index has a repository among its files, whose own settings git follows, or is not understood. */
function hasNestedRepository(file: string): boolean {
  if (!existsSync(file)) return false;
  const index = readFileSync(file);
  const version = index.readUInt32BE(4);
  if (index.toString('latin1', 0, 4) !== 'DIRC' || (version !== 2 && version !== 3)) return true;
  let at = 12;
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    if (index.readUInt32BE(at + 24) >>> 12 === 0o16) return true;
    const flags = index.readUInt16BE(at + 60);
    const name = at + ((flags & 0x4000) === 0 ? 62 : 64);
    // Names are followed by at least one NUL, up to a multiple of eight bytes.
    at += (index.indexOf(0, name) - at + 8) & ~7;
  }
  // The rest of a split index is in another file.
  return index.includes('link', at);
}

function linkIn(text: string): string {
  const [, path] = /^gitdir: (.+)\n?$/.exec(text) ?? [];
  if (path === undefined) throw new Error('not a link to a repository');
  return path;
}

function isPlainConfig(text: string): boolean {
  let section = '';
  return text.split(/\r?\n/).every(line => {
    const [, name] = /^\[([\w-]+)(?: "[^"\\]*")?\]\s*$/.exec(line) ?? [];
    if (name !== undefined) {
      section = name.toLowerCase();
      return Object.hasOwn(plainSettings, section);
    }
    if (/^\s*(?:[#;].*)?$/.test(line)) return true;
    const [, key] = /^\s*([\w-]+)\s*(?:=[^\\]*)?$/.exec(line) ?? [];
    const known = plainSettings[section];
    return key !== undefined && known !== undefined && (known === true || known.has(key.toLowerCase()));
  });
}
