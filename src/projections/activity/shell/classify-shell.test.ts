import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changesFolder, classifyShell } from './classify-shell.ts';

const read = (path: string, startLine?: number, endLine?: number) => ({
  type: 'read',
  path,
  ...(startLine !== undefined && { startLine }),
  ...(endLine !== undefined && { endLine }),
});
const search = (query: string, path?: string) => ({ type: 'search', query, ...(path !== undefined && { path }) });
const list = (path: string) => ({ type: 'list', path });
const command = undefined;

describe('a command line is classified by what all of it does', () => {
  it.each([
    ["bash -lc 'cat README.md'", [read('README.md')]],
    ['/bin/bash -lc \'cat "my file"\'', [read('my file')]],
    [`bash -lc "sed -n '10,20p' src/main.ts"`, [read('src/main.ts', 10, 20)]],
    ['sed -n 5p f', [read('f', 5, 5)]],
    ["sed -n '5,$p' f", [read('f', 5)]],
    ["sed -n '1,2p;8,9p' f", [read('f', 1, 2), read('f', 8, 9)]],
    ['sed -i s/a/b/ file', command],
    ['sed -n -i 5p f', command],
    ['sed -n w f', command],
    ['cat package.json 2>/dev/null', [read('package.json')]],
    ['cat a b', [read('a'), read('b')]],
    ["cat <<'EOF' > x.ts\nhello\nEOF", command],
    ['cat > out', command],
    ['cat f > out', command],
    ['cat', command],
    ['cat -', command],
    ['cat f|head', [read('f')]],
    ['cat f | head -5', [read('f')]],
    ['cat f | tee g', command],
    ['cat f | sort -o g', command],
    ['cat f | xargs rm', command],
    ['head -20 f', [read('f', 1, 20)]],
    ['head -n 3 f', [read('f', 1, 3)]],
    ['head f', [read('f', 1, 10)]],
    ['head -c 5 f', command],
    ['tail -n 5 f', [read('f')]],
    ['tail -n +5 f', [read('f', 5)]],
    ['tail -f f', command],
    ['nl -ba f', [read('f')]],
    ['nl -ba f | sed -n "1,4p"', [read('f')]],
    ['rg -n needle src', [search('needle', 'src')]],
    ["rg -g '*.ts' needle src", [search('needle', 'src')]],
    ['rg -A 3 foo', [search('foo')]],
    ['rg -nA3 foo', [search('foo')]],
    ['rg --type ts -e foo src', [search('foo', 'src')]],
    ['rg --files src', [{ type: 'search', query: '*', path: 'src' }]],
    ['rg --files', [{ type: 'search', query: '*' }]],
    ["rg --files -g '*.ts' src", [{ type: 'search', query: '*.ts', path: 'src' }]],
    ['rg --pre ./x foo', command],
    ['bash -lc "rg -n \\"foo bar\\""', [search('foo bar')]],
    ['grep -rn "a b" lib', [search('a b', 'lib')]],
    ['grep -rn x a b', [search('x', 'a'), search('x', 'b')]],
    ["find . -name '*.ts'", [search('*.ts', '.')]],
    ["find src lib -iname '*.ts'", [search('*.ts', 'src'), search('*.ts', 'lib')]],
    ['find . -type f', [search('-type f', '.')]],
    ["find . -name '*.o' -delete", command],
    ["find . -name '*.o' -exec rm {} +", command],
    ['ls src 2>/dev/null', [list('src')]],
    ['ls -la; cat x', [list('.'), read('x')]],
    ['cd src && cat x', [read('src/x')]],
    ['cd src && ls | head', [list('src')]],
    ['cd /a/b && cat ../x', [read('/a/x')]],
    ['cd src && rg foo', [search('foo', 'src')]],
    ['cd src', command],
    ['grep foo a && rm -rf build', command],
    ['cat x || true', command],
    ['cat x &', command],
    ['npm test', command],
    ['FOO=1 cat x', [read('x')]],
    ['FOO=$(rm x) cat x', command],
    ['sudo cat x', [read('x')]],
    ['sudo -u root cat x', command],
    ["zsh -lc 'cat x'", [read('x')]],
    ['cat "unbalanced', command],
    ['cat $(pick)', command],
    ['cat $FILE', command],
    ['cat ~/x', command],
    ['cat *.ts', command],
    ['cat <(rm x)', command],
    ['(cat x)', command],
    ['constructor x', command],
    ['', command],
  ])('%j', (line, expected) => {
    expect(classifyShell(line)?.operations).toEqual(expected);
  });

  it('reports when success of the line is success of every operation', () => {
    expect(classifyShell('ls -la; cat x')?.allOrNothing).toBe(false);
    expect(classifyShell('ls -la && cat x')?.allOrNothing).toBe(true);
  });

  it('accepts that a search may find nothing', () => {
    expect(classifyShell('rg x')?.oneMeansNoMatch).toBe(true);
    expect(classifyShell('find . -name x')?.oneMeansNoMatch).toBe(false);
    expect(classifyShell('cat x')?.oneMeansNoMatch).toBe(false);
  });

  it('sees that a line leaves the folder', () => {
    expect(['cd x', 'a && cd x', 'pushd y'].every(changesFolder)).toBe(true);
    expect(changesFolder('cat abcd x')).toBe(false);
  });

  it('never throws and never hangs', () => {
    const piece = fc.constantFrom(
      ...'"\'`$(){}[]<>|&;\\\n#!*?~= '.split(''),
      '$(',
      '<<',
      '$((',
      'cat x',
      'bash -lc ',
      '\0',
    );
    fc.assert(fc.property(fc.array(piece, { maxLength: 40 }), parts => void classifyShell(parts.join(''))));
    expect(classifyShell('('.repeat(100_000))).toBeUndefined();
    expect(classifyShell(`cat ${'$('.repeat(20_000)}`)).toBeUndefined();
  });
});
