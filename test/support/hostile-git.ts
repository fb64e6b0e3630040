import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Fills the configuration, attributes and hooks of a repository with programs that create a file when git runs them: each
 * key that names a program, a filter whose name has an equals sign, and a partial clone that lacks a content.
 */
export function makeHostile(folder: string, mark: string): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' });
  const run = `touch ${mark}; cat`;
  writeFileSync(join(folder, '.gitattributes'), '* filter=e=vil diff=evil merge=evil\n*.md filter=plain\n');
  for (const [key, value] of [
    ...['e=vil', 'plain'].flatMap(name => [
      [`filter.${name}.clean`, run] as const,
      [`filter.${name}.smudge`, run] as const,
      [`filter.${name}.required`, 'true'] as const,
    ]),
    ['diff.evil.command', run],
    ['diff.evil.textconv', run],
    ['merge.evil.driver', run],
    ['diff.external', run],
    ['core.fsmonitor', run],
    ['core.pager', run],
    ['core.editor', run],
    ['core.sshCommand', run],
    ['core.askPass', run],
    ['core.alternateRefsCommand', run],
    ['credential.helper', `!${run}`],
    ['hook.evil.command', run],
    ['hook.evil.event', 'reference-transaction'],
    ['uploadpack.packObjectsHook', run],
    ['protocol.allow', 'always'],
    ['protocol.ext.allow', 'always'],
    ['remote.origin.url', `ext::sh -c touch% ${mark}`],
    ['remote.origin.uploadpack', `touch ${mark};`],
    ['remote.origin.promisor', 'true'],
    ['extensions.partialClone', 'origin'],
    ['core.repositoryFormatVersion', '1'],
  ] as const)
    git('config', key, value);
  const hooks = join(folder, '.git', 'hooks');
  mkdirSync(hooks, { recursive: true });
  for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change', 'pre-auto-gc'])
    writeFileSync(join(hooks, hook), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
}

/** Makes a repository with a commit inside a folder, whose filter creates a file when git looks at its contents. */
export function makeNestedRepository(folder: string, mark: string): void {
  mkdirSync(folder, { recursive: true });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: folder, stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  writeFileSync(join(folder, 'inner.txt'), 'one\n');
  git('add', '-A');
  git('commit', '-qm', 'one');
  writeFileSync(join(folder, '.gitattributes'), '* filter=evil\n');
  git('config', 'filter.evil.clean', `touch ${mark}; cat`);
  writeFileSync(join(folder, 'inner.txt'), 'two\n');
}
