import { lstatSync } from 'node:fs';
import { copyFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClosedRepository } from '../../agents/git/closed-repository.ts';
import { newId } from '../../events/ids.ts';

/**
 * Stores the files of a work tree as they are now, untracked ones included, ignored ones and nested repositories not, and
 * returns the hash of their tree. The index has what was stored last, so that only what changed since is read.
 */
export async function snapshotTree(repository: ClosedRepository, workTree: string, index: string): Promise<string> {
  const own = `${index}-${newId()}`;
  const call = { workTree, index: own };
  try {
    await copyFile(index, own).catch(() => {});
    const list = ['ls-files', '-z', '--others', '--modified', '--deleted', '--exclude-standard'];
    const { output } = await repository.run(list, call);
    const paths = [...new Set(output.toString('latin1').split('\0'))].filter(
      path => path !== '' && !path.endsWith('/'),
    );
    const present = new Set(paths.filter(path => isFileOrLink(workTree, path)));
    const gone = paths.filter(path => !present.has(path));
    const input = (lines: Iterable<string>) => Buffer.from([...lines, ''].join('\0'), 'latin1');
    if (gone.length > 0)
      await repository.run(['update-index', '--force-remove', '-z', '--stdin'], { ...call, input: input(gone) });
    if (present.size > 0)
      await repository.run(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], {
        ...call,
        input: input(present),
      });
    const tree = await repository.line(['write-tree'], call);
    // Without it the next snapshot reads all files again.
    await rename(own, index).catch(() => {});
    return tree;
  } finally {
    await rm(own, { force: true });
  }
}

function isFileOrLink(workTree: string, path: string): boolean {
  try {
    const found = lstatSync(Buffer.concat([Buffer.from(join(workTree, '/')), Buffer.from(path, 'latin1')]));
    return found.isFile() || found.isSymbolicLink();
  } catch {
    return false; // It was removed since git listed it.
  }
}
