import { expect, it } from 'vitest';
import { resolvePath } from './path.ts';

it.each([
  [undefined, 'a/b', 'a/b'],
  ['/w', '/x', '/x'],
  ['/w', 'a', '/w/a'],
  ['/w', './a/../b', '/w/b'],
  ['/w', '../../..', '/'],
  ['src', '.', 'src'],
  ['src', '../x', 'x'],
  ['src', '../../x', '../x'],
  ['.', '.', '.'],
])('from %j, %j is %j', (folder, path, expected) => expect(resolvePath(folder, path)).toBe(expected));
