import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A real git repository with one commit, and a data folder beside it. */
export interface GitProject {
  readonly folder: string;
  readonly home: string;
  write(path: string, content: string): void;
  /** Runs git in the project, or in another folder, and returns what it prints. */
  git(args: readonly string[], folder?: string): string;
  remove(): void;
}

/** Makes a repository with these files in its first commit. */
export function gitProject(files: Readonly<Record<string, string>>): GitProject {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-worktrees-')));
  const [folder, home] = [join(root, 'project'), join(root, 'home')];
  const env = { PATH: process.env['PATH'], HOME: root, GIT_CONFIG_NOSYSTEM: '1' };
  const project: GitProject = {
    folder,
    home,
    write: (path, content) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    },
    git: (args, where = folder) => execFileSync('git', [...args], { cwd: where, env, encoding: 'utf8' }),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
  mkdirSync(folder);
  mkdirSync(home);
  project.git(['init', '--quiet', '-b', 'main']);
  for (const [path, content] of Object.entries(files)) project.write(path, content);
  project.git(['add', '--all']);
  project.git(['-c', 'user.name=Test', '-c', 'user.email=test@example.com', 'commit', '--quiet', '-m', 'First']);
  return project;
}
