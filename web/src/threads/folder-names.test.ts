import { expect, it } from 'vitest';
import { folderNames } from './folder-names.ts';

it('names a folder by its last part, and by more where others end alike', () => {
  const names = folderNames(['/home/a/shop', '/home/b/shop', '/srv/tools', '/']);
  expect([...names]).toEqual([
    ['/srv/tools', 'tools'],
    ['/', '/'],
    ['/home/a/shop', 'a/shop'],
    ['/home/b/shop', 'b/shop'],
  ]);
});

it('ends with folders of which one is the end of the other', () => {
  expect([...folderNames(['/shop', '/a/shop'])]).toEqual([
    ['/shop', 'shop'],
    ['/a/shop', 'a/shop'],
  ]);
});
