import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWholeRun } from '../../../test/support/run-size.ts';
import { matchCommand } from './shell-pattern.ts';

const word = fc.stringMatching(/^[a-z][a-z0-9./_-]{0,8}$/);
const name = fc.constantFrom('ls', 'git', 'cat', 'npm', 'echo');
const args = fc.array(word, { maxLength: 3 });
const quoted = (text: string) => fc.constantFrom(text, `'${text}'`, `"${text}"`, `\\${text}`);
const separators = [';', ' ; ', '&&', ' || ', '|', ' |& ', '&', '\n', '\r\n', ' # x\n', ';\n', ' \\\n;', '\n\n'];

const other = fc
  .tuple(fc.constantFrom('rm', 'curl', 'sh', 'node', '$X', './x', 'sudo', 'eval', 'X=1', '>f'), args)
  .map(([command, rest]) => [command, ...rest].join(' '));

const matching = fc.tuple(name, args, fc.boolean()).chain(([command, rest, further]) =>
  fc.tuple(...[command, ...rest].map(quoted)).map(words => ({
    pattern: [command, ...rest, ...(further ? ['*'] : [])].join(' '),
    line: words.join(' '),
  })),
);

const wrapped = fc.constantFrom(
  (line: string, rest: string) => `${line} $(${rest})`,
  (line: string, rest: string) => `${line} "a $(${rest}) b"`,
  (line: string, rest: string) => `${line} \`${rest}\``,
  (line: string, rest: string) => `${line} <(${rest})`,
  (line: string, rest: string) => `${line} \${a:-$(${rest})}`,
  (line: string, rest: string) => `${line} <<< "$(${rest})"`,
  (line: string, rest: string) => `${line} <<E\n$(${rest})\nE`,
  (line: string, rest: string) => `(${line}; ${rest})`,
  (line: string, rest: string) => `if ${line}; then ${rest}; fi`,
  (line: string, rest: string) => `bash -c '${line.replaceAll("'", `'\\''`)}; ${rest}'`,
);

const shellText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...'"\'`$(){}[]<>|&;\\\n#!*?~= '.split(''), '$(', '<<', '$((', '((', "$'", '\0', '\r'),
      word,
    ),
    {
      maxLength: 40,
    },
  )
  .map(parts => parts.join(''));

/** A few of the cases, and shorter lines, where nobody waits for all of them. */
const share = process.env['CI'] ? 1 : 0.04;

describe('a command pattern, whatever the line', () => {
  it('matches the command it was written for', () => {
    fc.assert(fc.property(matching, ({ pattern, line }) => matchCommand(pattern, line)));
  });

  it('never allows another command after the one it matches', () => {
    fc.assert(
      fc.property(matching, fc.constantFrom(...separators), other, ({ pattern, line }, separator, rest) => {
        expect(matchCommand(pattern, `${line}${separator}${rest}`)).toBe(false);
        expect(matchCommand(pattern, `${rest}${separator}${line}`)).toBe(false);
      }),
      { numRuns: 2000 * share },
    );
  });

  it('never allows another command inside the one it matches', () => {
    fc.assert(
      fc.property(matching, wrapped, other, ({ pattern, line }, wrap, rest) => {
        expect(matchCommand(pattern, wrap(line, rest))).toBe(false);
      }),
      { numRuns: 2000 * share },
    );
  });

  it('guards a command at any position', () => {
    fc.assert(
      fc.property(matching, fc.constantFrom(...separators), args, ({ line }, separator, rest) => {
        expect(matchCommand('rm *', `${line}${separator}rm ${rest.join(' ')}`, 'deny')).toBe(true);
      }),
    );
  });

  it('never throws', () => {
    const anything = fc.oneof(shellText, fc.string({ unit: 'binary' }), fc.string());
    fc.assert(
      fc.property(anything, anything, fc.constantFrom('allow', 'ask', 'deny'), (pattern, line, policy) => {
        expect(typeof matchCommand(pattern, line, policy)).toBe('boolean');
      }),
      { numRuns: 3000 * share },
    );
  });
});

describe('a command line that is crafted to exhaust the parser', () => {
  const pieces = ['a;', '(', '$(', '"$(', '`', '\\`', '{', '{a,', '${a:-', 'a<<b ', 'a<<b\n', '[', 'case a in ', 'if '];
  const more = [
    '"',
    '[[ ( ',
    '((',
    '$((',
    '<(',
    '@(',
    'a=(',
    'x[',
    "$'\\x'",
    '\\',
    '$[',
    '! ',
    'f()',
    'x',
    '*[',
    '{1..',
  ];
  const wrapping = ['sudo ', 'eval ', 'bash -c ', "sudo 'a b' ", 'bash;', 'env -S ', "eval '"];

  it.each([...pieces, ...more, ...wrapping])('is decided in time: %j', piece => {
    for (const size of isWholeRun ? [2000, 250_000, 1_000_000] : [2000, 20_000]) {
      const line = `ls ; ${piece.repeat(size / piece.length)}\nrm y`;
      const started = performance.now();
      expect(matchCommand('ls *', line, 'allow')).toBe(false);
      expect(matchCommand('rm *', line, 'deny')).toBe(true);
      expect(performance.now() - started).toBeLessThan(10_000);
    }
  });

  it('allows no line of a million characters and guards against it', () => {
    const line = `ls ${'x'.repeat(1_000_000)}`;
    expect(matchCommand('ls *', line, 'allow')).toBe(false);
    expect(matchCommand('ls *', line, 'deny')).toBe(true);
  });
});
