import { describe, expect, it } from 'vitest';
import { patchFiles } from './patch-files.ts';

describe('the markers of a patch', () => {
  it('name what is added, updated, moved and deleted', () => {
    const patch = [
      '*** Begin Patch',
      '*** Add File: a/one.txt',
      '+*** Add File: not-a-marker',
      '*** Update File: old name.ts\r',
      '*** Move to: new.ts',
      '@@',
      '-x',
      '*** Delete File: gone.md',
      '*** Update File: a/one.txt',
      '*** End Patch',
    ].join('\n');
    expect(patchFiles(patch)).toEqual([
      { action: 'add', path: 'a/one.txt' },
      { action: 'update', path: 'old name.ts' },
      { action: 'move', path: 'new.ts' },
      { action: 'delete', path: 'gone.md' },
    ]);
  });

  it('are absent in anything else', () => {
    expect(patchFiles('')).toEqual([]);
    expect(patchFiles('*** Frobnicate File: x\n*** Add File:')).toEqual([]);
  });
});
