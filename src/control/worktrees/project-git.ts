import { copyFile, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { GitFailure, runGit } from '../../agents/git/run-git.ts';
import { defined } from '../../events/defined.ts';

/** No hook and no file monitor of a project runs. */
const settings = ['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'gc.auto=0', 'core.quotePath=false'];
const timeoutMs = 120_000;

/** Git in the repository of a project: programs that the repository itself configures are not started. */
export class ProjectGit {
  readonly folder: string;
  #filters: Promise<readonly string[]> | undefined;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Returns what git prints; rejects with a `GitFailure`. */
  async run(
    args: readonly string[],
    { index, input }: { readonly index?: string; readonly input?: Uint8Array } = {},
  ): Promise<Buffer> {
    this.#filters ??= this.#disabledFilters();
    return this.#git(args, [...settings, ...(await this.#filters)], { index, input });
  }

  /** Returns what git prints, without the line break at its end. */
  async line(args: readonly string[]): Promise<string> {
    return (await this.run(args)).toString('utf8').trim();
  }

  /** Stores the files as they are now, untracked ones included and ignored ones not, and returns the hash of their tree. */
  async snapshot(index: string): Promise<string> {
    const own = resolve(this.folder, await this.line(['rev-parse', '--git-path', 'index']));
    try {
      await copyFile(own, index).catch(() => {});
      await this.run(['add', '--all', '--', ':/'], { index });
      return (await this.run(['write-tree'], { index })).toString('utf8').trim();
    } finally {
      await rm(index, { force: true });
    }
  }

  /** Filters that the repository defines are programs of the project: they are replaced by none. */
  async #disabledFilters(): Promise<readonly string[]> {
    const pattern = String.raw`^filter\..*\.(clean|smudge|process|required)$`;
    const listed = await this.#git(['config', '-z', '--show-scope', '--name-only', '--get-regexp', pattern], settings)
      .then(output => output.toString('utf8').split('\0'))
      .catch(() => []);
    return listed.flatMap((scope, at) => {
      const name = listed[at + 1];
      if (at % 2 === 1 || name === undefined || (scope !== 'local' && scope !== 'worktree')) return [];
      return `${name}=${name.endsWith('.required') ? 'false' : ''}`;
    });
  }

  #git(
    args: readonly string[],
    all: readonly string[],
    { index, input }: { readonly index?: string | undefined; readonly input?: Uint8Array | undefined } = {},
  ): Promise<Buffer> {
    const { XDG_CONFIG_HOME } = process.env;
    const env = {
      LC_ALL: 'C.UTF-8',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_TERMINAL_PROMPT: '0',
      ...defined({ XDG_CONFIG_HOME, GIT_INDEX_FILE: index }),
    };
    return runGit(args, { cwd: this.folder, env, settings: all, timeoutMs, ...defined({ input }) });
  }
}

/** A repository with a commit, or the reason why a folder has none. */
export type FoundRepository =
  | { readonly root: string; readonly prefix: string; readonly head: string; readonly git: ProjectGit }
  | { readonly problem: string };

/** Finds the repository of a folder: its root, the path of the folder in it, and its newest commit. */
export async function findRepository(folder: string): Promise<FoundRepository> {
  const here = new ProjectGit(folder);
  try {
    const root = await here.line(['rev-parse', '--show-toplevel']);
    const prefix = await here.line(['rev-parse', '--show-prefix']);
    const git = new ProjectGit(root);
    const head = await git.line(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']).catch(() => undefined);
    return head === undefined ? { problem: 'The repository has no commit yet' } : { root, prefix, head, git };
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    if (error.isMissing) return { problem: 'git is not installed' };
    const isNone = error.message.includes('not a git repository') || error.message.includes('must be run in a work');
    return { problem: isNone ? 'The folder is not in a git repository' : error.message };
  }
}
