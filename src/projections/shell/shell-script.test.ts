import { describe, expect, it } from 'vitest';
import { scriptOfLine } from './shell-line.ts';

describe('the script of a line', () => {
  it.each([
    ["/bin/bash -lc 'touch made.txt'", 'touch made.txt'],
    ['bash -lc pwd', 'pwd'],
    ['/bin/zsh -lc "echo \'a b\'"', "echo 'a b'"],
    ["/bin/bash -lc 'cat <<X\nline\nX'", 'cat <<X\nline\nX'],
  ])('is what the shell receives: %s', (line, script) => {
    expect(scriptOfLine(line)).toBe(script);
  });

  it.each([
    'touch made.txt',
    "/bin/bash -lc 'a' > out.txt",
    "/bin/bash -lc 'a'; rm b",
    "A=1 /bin/bash -lc 'a'",
    '/bin/bash -lc "$(cat x)"',
    "/bin/bash --rcfile evil -c 'a'",
    '',
  ])('is undefined when the line does more or something else: %s', line => {
    expect(scriptOfLine(line)).toBeUndefined();
  });
});
