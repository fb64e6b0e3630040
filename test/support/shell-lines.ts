import * as fc from 'fast-check';

const reported = [
  'ls <()#;touch PWNED',
  'ls <(ls)\\\n#;touch PWNED',
  'ls x\\\n#;touch PWNED',
  "zsh -c 'ls <()#;touch PWNED'",
  "printf -v 'a[$(touch PWNED)]' x",
  "test -v 'a[$(touch PWNED)]'",
  "[ -v 'a[$(touch PWNED)]' ]",
  'setarch x86_64 touch PWNED',
  'foo touch PWNED',
  "foo 'touch PWNED'",
  'env touch PWNED',
  'echo touch PWNED | sh',
  'PATH=. ls',
  "ls $'a\\'; touch PWNED #'",
  'ls 2>&1x',
  'ls x &>/dev/null touch PWNED',
  'foo touc$(ls x)h PWNED',
  "printf -v 'a[$(to$(ls x)uch PWNED)]' x",
  'A=tou; B=ch; env $A$B PWNED',
];

const ordinary = [
  'ls src 2>/dev/null',
  "bash -lc 'ls src'",
  'sh -l -c \'bash -c "ls x"\'',
  "zsh -c 'ls a && cat b.ts'",
  'ls a && ls b || cat c | cat -n',
  'ls "$(cat a)" $(ls b)',
  'ls -la ~/src src/*.ts {a,b} "$HOME" ${HOME}',
  '(ls x) && { cat y; } 2>&1',
  '! ls x; cat z &',
  'ls \\\n  -la # note\ncat b.ts',
  'npm test -- src/*.ts',
  'foo --fix src',
  'git status && git log -5',
  'echo \'a;b\' "c|d" e\\;f',
  "printf '%s ' a b; test -n x; [ -f a ]",
];

/** Fragments are separated by a character that stands in none of them. */
const listed = (fragments: string): string[] => fragments.split('¦');

const plain = listed(
  'ls¦cat¦echo¦foo¦npm test¦git status¦git log¦printf¦test¦[¦env¦timeout 1¦read¦x¦-la¦src/*.ts¦b.ts¦{a,b}¦~¦' +
    '~/x¦"$HOME"¦$HOME¦${HOME}¦\'x y\'¦"a b"¦é¦\'\'¦2>/dev/null¦2>&1¦>/dev/null¦</dev/null¦&>/dev/null¦>&2¦' +
    '# note¦bash -c¦sh -c¦zsh -c¦$(ls x)¦"$(cat a)"¦( ls )¦{ ls; }¦!¦\\\n¦ \\\n¦\\;¦a=b¦\'ls x\'¦"ls x"',
);

const separators = [';', '&&', '||', '|', '&', '\n', ' ', ' ', ' ', ' ', '', '\t', '\n\n'];

const hostile = listed(
  '<()¦<(ls)¦>(touch P)¦=(ls)¦#¦\\\n#¦\\¦"¦\'¦`¦$¦(¦)¦((¦))¦{¦}¦[¦]¦touch P¦;touch P¦\ntouch P¦&touch P¦' +
    "|touch P¦`touch P`¦$(touch P)¦\"$(touch P)\"¦'touch P'¦$'¦$'\\''¦$\"¦${¦${x:=¦${x@P}¦${!x}¦$((¦$[¦$x[¦" +
    "$1¦$@¦$-¦a[$(touch P)]¦-v¦<<E\n¦\nE\n¦<<'E'\n¦<<<¦<>¦>|¦>&¦>&1x¦2>&1x¦{fd}>¦> f¦>>f¦&>f¦12>/dev/null¦*¦" +
    '?¦@(¦!(¦*(e:"touch P":)¦!!¦!ls¦^¦~+¦=ls¦%1¦..¦{a¦,b}¦{1..3}¦{touch,P}¦alias ls=touch¦ls() {¦function ls¦' +
    'coproc¦for a in b; do¦done¦if¦then¦fi¦case x in¦esac¦while¦until¦time¦[[¦]]¦A=1¦PATH=.¦IFS=x¦a=(¦+=¦' +
    'a[0]=¦repeat 2¦noglob¦select¦\r¦\r\n¦\0¦\u00a0¦\u200b¦\u2028¦\u202e¦\ud800¦ぁ\\¦lѕ¦\x1b¦\x0b¦\x0c¦|&¦&!¦' +
    ';;¦;&¦;|¦&|¦\\"¦\\\'¦\\$¦\\`¦\\#¦\\(¦""¦\'\'¦$()¦$(#¦"$(¦)"¦exec¦eval¦command¦builtin¦xargs¦' +
    'setarch x86_64¦nohup¦source¦.¦export¦declare¦let¦unset¦mapfile -C¦compgen -C¦complete -C¦enable -f¦trap¦' +
    'set¦shopt -s¦hash -p¦sh¦bash -s',
);

const fragment = fc.oneof(
  { arbitrary: fc.constantFrom(...plain), weight: 6 },
  { arbitrary: fc.constantFrom(...separators), weight: 5 },
  { arbitrary: fc.constantFrom(...hostile), weight: 1 },
);

const composed = fc
  .tuple(
    fc.constantFrom('ls', 'ls', 'cat', 'echo', 'foo', 'npm test', 'printf', 'test', "bash -c 'ls"),
    fc.array(fc.tuple(fc.constantFrom(' ', ' ', ''), fragment), { maxLength: 7 }),
  )
  .map(([start, rest]) => start + rest.flat().join(''));

/** A line with some of its characters removed, repeated or replaced by fragments. */
const mutated = fc
  .tuple(
    fc.constantFrom(...reported, ...ordinary),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom('insert', 'insert', 'delete', 'repeat', 'cut'), fragment), {
      minLength: 1,
      maxLength: 4,
    }),
  )
  .map(([line, edits]) => edits.reduce(edited, line));

function edited(line: string, [place, edit, text]: readonly [number, string, string]): string {
  const at = place % (line.length + 1);
  const [before, after] = [line.slice(0, at), line.slice(at)];
  if (edit === 'insert') return before + text + after;
  if (edit === 'delete') return before + after.slice(1);
  return edit === 'repeat' ? before + after.slice(0, 4) + after : before;
}

/** Distinct shell lines, always the same for a seed: known ways around the rules, ordinary lines, and mixtures of both. */
export function shellLines(count: number, seed: number): string[] {
  const random = fc.sample(fc.oneof(composed, mutated), { numRuns: count, seed });
  return [...new Set([...reported, ...ordinary, ...random])];
}
