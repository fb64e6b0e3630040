import * as fc from 'fast-check';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { persistDeclarations } from './declarations.ts';

describe('top-level declarations', () => {
  it.each([
    ['let a = 1, b', 'var a = 1, b = undefined'],
    ['let a\nlet b;\na', 'var a = undefined\nvar b = undefined;\na'],
    ['const {a, b: [c]} = f(), d = 2', 'var {a, b: [c]} = f(), d = 2'],
    ['let [x, y] = [1, 2], z\nz, x', 'var [x, y] = [1, 2], z = undefined\nz, x'],
    ['let a = 1\nfoo(), bar', 'var a = 1\nfoo(), bar'],
    ['let a = 1\n+ 2, b', 'var a = 1\n+ 2, b = undefined'],
    ['let a = 1\n{ b, c }', 'var a = 1\n{ b, c }'],
    ['class A extends f({}) { x = {} }\n(1)', 'var A = class A extends f({}) { x = {} };\n(1)'],
    ['const a = 1\nclass B {}', 'var a = 1\nvar B = class B {};'],
    ['/* let */ let /* a */ a = 1 // const b', '/* let */ var /* a */ a = 1 // const b'],
    ['const a = 6 / 2 / g; const b = /let c = "/.test(x)', 'var a = 6 / 2 / g; var b = /let c = "/.test(x)'],
    ['if (x) /const {/.test(y)\nconst z = 1', 'if (x) /const {/.test(y)\nvar z = 1'],
    ['const s = `a ${ {b: `${1}`}.b } let c = 1`; let d = 2', 'var s = `a ${ {b: `${1}`}.b } let c = 1`; var d = 2'],
    ['for (const a of b) { let c }\nconst d = 1', 'for (const a of b) { let c }\nvar d = 1'],
    ["const q = 'it\\'s'; const r = \"}\"", "var q = 'it\\'s'; var r = \"}\""],
  ])('%j are variables that can be declared again', (code, expected) => {
    expect(persistDeclarations(code).replaceAll('var   ', 'var ')).toBe(expected);
  });

  it.each([
    'x = class A {}',
    'const_ = 1; letter = 2',
    'a.let = 1; a.class = 2; a?.const',
    'let = 1; let.x',
    '{ let a = 1; const b = 2; class C {} }',
    'function f() { let a; const b = 1 }',
    'var a = 1; function g() {}',
    'f(class {}, () => { const a = 1 })',
    'new class {}',
    '`let a = ${"const b"}`',
  ])('%j stays as it is', code => {
    expect(persistDeclarations(code)).toBe(code);
  });

  const statements = [
    'let a = 1',
    'const b = [1, 2].map(n => { const m = n / 2; return m })',
    'class C { static n = { m: 3 }; get() { return /[/"]/.source } }',
    'function f(x) { let y = x; return `${y}${`{${y}`}` }',
    'const { d, ...e } = { d: 1, g: 2 }',
    'if (f(1)) { let a = 5 } else { class C {} }',
    'let h, i = 4',
    'for (let j = 0; j < 2; j++) f(j)',
    '// const "not" {',
    'const k = \'let }\' + "`"',
    'const l = 8 / 2 / 1',
    'let p = () => ({ q: 1 }), r',
    'try { throw 1 } catch { var s = 1 }',
  ];
  const values = '[typeof a, typeof b, typeof C, typeof f, typeof e, typeof h, typeof i, typeof k, typeof l, typeof r]';

  it('mean the same in a program that runs once', () => {
    const separator = fc.constantFrom(';\n', '\n', '\n\n/* class */ ');
    fc.assert(
      fc.property(fc.shuffledSubarray(statements), separator, (chosen, between) => {
        const program = ['function f() {}', ...chosen].join(between);
        expect(runInNewContext(`${persistDeclarations(program)}\n;${values}`)).toEqual(
          runInNewContext(`${program}\n;${values}`),
        );
      }),
    );
  });

  it('may all be repeated', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...statements)), chosen => {
        runInNewContext(['function f() {}', ...chosen].map(persistDeclarations).join('\n'));
      }),
    );
  });

  it('are found in any text without failing', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'let class{}`$\\/\'"()[];\n x='.split('')) }), code => {
        expect(typeof persistDeclarations(code)).toBe('string');
      }),
    );
  });

  it.each(['/*', '/[', "'\\", '`${', '{', 'let a,'])('are found in linear time in a text full of %j', piece => {
    const started = performance.now();
    persistDeclarations(piece.repeat(100_000));
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
