import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The manifest of the package. */
export const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, string>;
  dependencies: Record<string, string>;
};

/** The paths that the package exports. */
export const subpaths: readonly string[] = Object.keys(manifest.exports).filter(path => path !== './package.json');

/** A new folder in which what would be published is installed, beside links to its dependencies and to `ai`, which guides use. */
export function packedProject(): string {
  const project = mkdtempSync(join(tmpdir(), 'singletree-packed-'));
  const modules = join(project, 'node_modules');
  mkdirSync(join(modules, 'singletree'), { recursive: true });
  const tarball = execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', project], {
    cwd: root,
    encoding: 'utf8',
  });
  const unpack = ['xzf', tarball.trim(), '-C', join(modules, 'singletree'), '--strip-components=1'];
  execFileSync('tar', unpack, { cwd: project });
  for (const name of [...Object.keys(manifest.dependencies), '@types/node', 'ai']) {
    if (name.startsWith('@')) mkdirSync(join(modules, name, '..'), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  mkdirSync(join(modules, '.bin'));
  symlinkSync('../singletree/dist/cli/main.js', join(modules, '.bin/singletree'));
  chmodSync(join(modules, 'singletree/dist/cli/main.js'), 0o755);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ type: 'module' }));
  return project;
}
