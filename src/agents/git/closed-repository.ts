import { realpathSync } from 'node:fs';
import { mkdir, mkdtemp, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { newId } from '../../events/ids.ts';
import { type GitCall, GitFailure, type GitOutput, runGit } from './run-git.ts';
import { readSmallFile } from './small-file.ts';

/** Where the parts of a repository are. */
export interface LocatedRepository {
  /** The top folder of its files. */
  readonly top: string;
  /** The path of the folder that was asked about below the top folder. */
  readonly prefix: string;
  /** The folder of this work tree: `HEAD` and the index. */
  readonly gitDir: string;
  /** The folder that all work trees share: objects, references, configuration. */
  readonly commonDir: string;
}

/** Returns the repository that a folder belongs to; undefined when it is in none. Runs no program. */
export function locateRepository(folder: string): LocatedRepository | undefined {
  const start = realpathSync(folder);
  for (let top = start; ; top = dirname(top)) {
    const gitDir = findGitDir(top);
    const prefix = relative(top, start);
    if (gitDir !== undefined && prefix.split('/')[0] !== '.git') {
      const common = readSmallFile(join(gitDir, 'commondir'))?.trim();
      return { top, prefix, gitDir, commonDir: common === undefined ? gitDir : resolve(gitDir, common) };
    }
    if (dirname(top) === top) return undefined;
  }
}

function findGitDir(top: string): string | undefined {
  const file = join(top, '.git');
  const [, named] = /^gitdir: (.+)\n?$/s.exec(readSmallFile(file) ?? '') ?? [];
  const gitDir = named === undefined ? file : resolve(top, named.trimEnd());
  return readSmallFile(join(gitDir, 'HEAD')) === undefined ? undefined : gitDir;
}

/** Replaces a file atomically: a concurrent git process reads the old or the new file. */
async function replace(path: string, write: (written: string) => Promise<void>): Promise<void> {
  const written = `${path}-${newId()}`;
  await write(written);
  await rename(written, path);
}

type ClosedCall = Partial<Omit<GitCall, 'gitDir'>>;

/**
 * Access to a project's repository through a separate git directory, with the objects and references of the project but
 * without its configuration. Everything that git writes, except references, stays in that directory.
 */
export class ClosedRepository {
  readonly located: LocatedRepository;
  readonly #gitDir: string;
  readonly #timeoutMs: number;

  private constructor(located: LocatedRepository, gitDir: string, timeoutMs: number) {
    this.located = located;
    this.#gitDir = gitDir;
    this.#timeoutMs = timeoutMs;
  }

  /** Writes the folder, or brings it up to date. Rejects with a `GitFailure` for a kind of repository that is not known. */
  static async open(located: LocatedRepository, gitDir: string, timeoutMs: number): Promise<ClosedRepository> {
    const { commonDir } = located;
    await mkdir(join(gitDir, 'objects', 'info'), { recursive: true, mode: 0o700 });
    await mkdir(join(gitDir, 'info'), { recursive: true });
    const repository = new ClosedRepository(located, gitDir, timeoutMs);
    const storage = await repository.#readSetting('extensions.refstorage');
    if (storage !== undefined && storage !== 'files')
      throw new GitFailure(`the repository stores its references as "${storage}", which is not supported`);
    const format = await repository.#readSetting('extensions.objectformat');
    const extensions = format === 'sha256' ? '[extensions]\n\tobjectFormat = sha256\n' : '';
    const version = extensions === '' ? 0 : 1;
    const files = {
      config: `[core]\n\trepositoryformatversion = ${version}\n\tbare = false\n${extensions}`,
      HEAD: readSmallFile(join(located.gitDir, 'HEAD')) ?? '',
      'info/exclude': readSmallFile(join(commonDir, 'info', 'exclude')) ?? '',
      'objects/info/alternates': `${join(commonDir, 'objects')}\n`,
    };
    for (const [name, text] of Object.entries(files))
      if (readSmallFile(join(gitDir, name)) !== text)
        await replace(join(gitDir, name), written => writeFile(written, text));
    for (const name of ['refs', 'packed-refs']) {
      const target = join(commonDir, name);
      // It is missing, or no link: it is made below.
      if ((await readlink(join(gitDir, name)).catch(() => '')) !== target)
        await replace(join(gitDir, name), written => symlink(target, written));
    }
    return repository;
  }

  /** Opens a repository for one task, in a temporary folder. */
  static async use<Result>(
    located: LocatedRepository,
    timeoutMs: number,
    task: (repository: ClosedRepository) => Promise<Result>,
  ): Promise<Result> {
    const gitDir = await mkdtemp(join(tmpdir(), 'singletree-git-'));
    try {
      return await task(await ClosedRepository.open(located, gitDir, timeoutMs));
    } finally {
      await rm(gitDir, { recursive: true, force: true });
    }
  }

  /** Runs git in the top folder of the repository, or in another work tree; rejects with a `GitFailure`. */
  run(args: readonly string[], call: ClosedCall = {}): Promise<GitOutput> {
    const { top } = this.located;
    return runGit(args, { workTree: top, timeoutMs: this.#timeoutMs, ...call, gitDir: this.#gitDir });
  }

  /** Returns the output of git without leading and trailing whitespace. */
  async line(args: readonly string[], call?: ClosedCall): Promise<string> {
    return (await this.run(args, call)).output.toString('utf8').trim();
  }

  /** Returns the trimmed output of git; undefined when git fails, unless it is not installed or timed out. */
  findLine(args: readonly string[], call?: ClosedCall): Promise<string | undefined> {
    return this.line(args, call).catch((error: unknown) => {
      if (error instanceof GitFailure && !error.isMissing && !error.isTooSlow) return undefined;
      throw error;
    });
  }

  /** Returns the branch that the current one follows, as the configuration of the repository says; undefined without one. */
  async upstream(): Promise<string | undefined> {
    const [, branch] = /^ref: refs\/heads\/(.+)\n?$/.exec(readSmallFile(join(this.located.gitDir, 'HEAD')) ?? '') ?? [];
    if (branch === undefined) return undefined;
    const [remote, merge] = [
      await this.#readSetting(`branch.${branch}.remote`),
      await this.#readSetting(`branch.${branch}.merge`),
    ];
    if (remote === undefined || merge === undefined) return undefined;
    return remote === '.' ? merge : merge.replace(/^refs\/heads\//, `refs/remotes/${remote}/`);
  }

  /** Reads one setting of the repository as text, without applying it. */
  async #readSetting(key: string): Promise<string | undefined> {
    const input = readSmallFile(join(this.located.commonDir, 'config')) ?? '';
    const name = key.slice(key.lastIndexOf('.') + 1);
    if (!input.toLowerCase().includes(name)) return undefined;
    return this.findLine(['config', '--file', '-', '--no-includes', '--get', key], { input });
  }
}
