import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
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
 * Whether read-only git commands in a folder cannot start a program because of its repository: the settings name no
 * program, and it has no hooks, no submodules and no remote objects to fetch. Programs that the user's own git settings
 * name are acceptable. Returns false when anything is not understood.
 */
export function isPlainRepository(folder: string): boolean {
  try {
    const found = findRepository(realpathSync(folder));
    return found !== undefined && isPlain(found);
  } catch {
    return false;
  }
}

interface Repository {
  readonly top: string;
  /** The git directory of this worktree, and the one that all worktrees share. */
  readonly own: string;
  readonly common: string;
}

/** Returns the repository that git uses for a folder; undefined when that is uncertain. */
function findRepository(top: string): Repository | undefined {
  const marker = join(top, '.git');
  if (existsSync(marker)) {
    const isFolder = statSync(marker).isDirectory();
    const own = isFolder ? marker : resolve(top, linkIn(readRegular(marker).toString()));
    const head = lstatSync(join(own, 'HEAD'), { throwIfNoEntry: false });
    if (!isFolder || head !== undefined) {
      const isKnown =
        head?.isFile() === true && /^(?:ref: refs\/\S+|[\da-f]{40})\n?$/.test(readRegular(own, 'HEAD').toString());
      const common = existsSync(join(own, 'commondir'))
        ? resolve(own, readRegular(own, 'commondir').toString().trim())
        : own;
      const isWhole = ['objects', 'refs'].every(name => statSync(join(common, name)).isDirectory());
      return isKnown && isWhole ? { top, own, common } : undefined;
    }
  }
  if (lstatSync(join(top, 'HEAD'), { throwIfNoEntry: false }) !== undefined || dirname(top) === top) return undefined;
  return findRepository(dirname(top));
}

function isPlain({ top, own, common }: Repository): boolean {
  if (existsSync(join(top, '.gitmodules')) || existsSync(join(common, 'modules'))) return false;
  const hooks = join(common, 'hooks');
  if (existsSync(hooks) && !readdirSync(hooks).every(name => name.endsWith('.sample'))) return false;
  if (hasNestedRepository(join(own, 'index'))) return false;
  const files = [join(common, 'config'), join(common, 'config.worktree'), join(own, 'config.worktree')];
  return files.filter(existsSync).every(file => isPlainConfig(readRegular(file).toString()));
}

/** Reads a file; throws for anything else, such as a pipe, which would never end. */
function readRegular(...path: string[]): Buffer {
  const file = join(...path);
  if (!statSync(file).isFile()) throw new Error(`${file} is not a file`);
  return readFileSync(file);
}

/** Whether an index has a repository among its files, whose own settings git follows, or is not understood. */
function hasNestedRepository(file: string): boolean {
  if (!existsSync(file)) return false;
  const index = readRegular(file);
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
