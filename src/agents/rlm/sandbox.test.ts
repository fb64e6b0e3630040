import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type RlmLimits, rlmLimits } from './rlm-limits.ts';
import { type CellHandlers, loadSandboxProgram, Sandbox } from './sandbox.ts';

const program = await loadSandboxProgram();
const stop = new AbortController();
const open: Sandbox[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(sandbox => sandbox.close()));
});

/** For cells that leave nothing behind. */
const shared = new Sandbox({ program, context: '', functions: [], limits: rlmLimits(), signal: stop.signal });
afterAll(() => shared.close());

function sandboxWith(limits: Partial<RlmLimits> = {}, context = '', functions: readonly string[] = []) {
  const sandbox = new Sandbox({ program, context, functions, limits: rlmLimits(limits), signal: stop.signal });
  open.push(sandbox);
  return { sandbox, run: runIn(sandbox) };
}

function runIn(sandbox: Sandbox) {
  return async (code: string, call: CellHandlers['call'] = async () => null) => {
    const printed = { stdout: '', stderr: '' };
    const outcome = await sandbox.run(code, { print: (chunk, stream) => void (printed[stream] += chunk), call });
    return { ...outcome, ...printed };
  };
}

describe('calls', () => {
  it('let the process do other work, however many a cell makes', async () => {
    const { run } = sandboxWith({}, '', ['f']);
    let turn = 0;
    let isOver = false;
    const count = () => {
      turn++;
      if (!isOver) setImmediate(count);
    };
    count();
    const callsIn = new Map<number, number>();
    const code = 'const all = await Promise.all(Array.from({ length: 5000 }, (_, i) => f(i))); print(all.length)';
    const { stdout } = await run(code, async () => void callsIn.set(turn, (callsIn.get(turn) ?? 0) + 1));
    isOver = true;
    expect(stdout).toBe('5000\n');
    // The count goes up before or after a group, so two groups may fall into one turn.
    expect(Math.max(...callsIn.values())).toBeLessThanOrEqual(64);
  });
});

describe('the time of a cell', () => {
  it('begins when the sandbox has started', async () => {
    let time = 0;
    const now = () => time;
    const sandbox = new Sandbox({ program, context: '', functions: [], limits: rlmLimits(), signal: stop.signal, now });
    open.push(sandbox);
    const running = runIn(sandbox)('await llm_query("x")', async () => void (time += 7));
    time = 5_000;
    expect((await running).durationMs).toBe(7);
    expect((await runIn(sandbox)('await llm_query("x")', async () => void (time += 9))).durationMs).toBe(9);
  });
});

describe('variables', () => {
  it('persist between cells and may be declared again', async () => {
    const { run } = sandboxWith();
    const code = 'let a = 1; const b = [a]; class C { n = a } function f() { return a }';
    await run(code);
    expect((await run(`${code}\nprint(a, b, new C().n, f())`)).stdout).toBe('1 [1] 1 1\n');
    await run('a = 5; let b; const c = await Promise.resolve(7)');
    expect((await run('print(a, b, c, f())')).stdout).toBe('5 undefined 7 5\n');
    expect((await run('print(SHOW_VARS())')).stdout).toBe(
      'a: number\nb: undefined\nC: function\nf: function\nc: number\n\n',
    );
  });

  it('that were set before an error stay', async () => {
    const { run } = sandboxWith();
    expect((await run('const a = 1; const b = nothing; const c = 3')).error).toBe(
      "ReferenceError: 'nothing' is not defined\n    at <eval> (cell.js:1:24)\n",
    );
    expect((await run('print(a, b, c)')).stdout).toBe('1 undefined undefined\n');
  });

  it('do not remove the built-in functions: they are restored before each cell', async () => {
    const { run } = sandboxWith({}, 'text');
    await run('var context = 1; print = 2; function FINAL() {} console = null');
    expect(await run('console.log(context); FINAL("x")')).toMatchObject({ stdout: 'text\n', final: 'x' });
    await run('Object.freeze(globalThis)');
    expect((await run('var a = 1')).error).toMatch(/the global object was changed[^]*started anew/);
    expect(await run('var a = 1; print(a, context)')).toMatchObject({ stdout: '1 text\n' });
  });
});

describe('printing', () => {
  it('uses the stream of the function, with readable values', async () => {
    const code = `
      console.log('a', 1, true, null, undefined, 2n, Symbol('s'));
      print({ n: [1], at: new Map([['k', 1]]), set: new Set([2]), big: 3n, f() {} }, [undefined], () => {}, new Error('e'));
      const loop = {}; loop.self = loop; console.info(loop, Promise.resolve());
      console.warn('careful'); console.error('bad');`;
    expect(await runIn(shared)(code)).toMatchObject({
      stdout: `a 1 true null undefined 2n Symbol(s)
{"n":[1],"at":[["k",1]],"set":[2],"big":"3n","f":"[function f]"} [null] [function anonymous] Error: e
[an object that JSON cannot carry: TypeError: circular reference] [a promise: await it]
`,
      stderr: 'careful\nbad\n',
      truncated: false,
    });
  });

  it('carries every character', async () => {
    const text = 'a\0b\ud800 é 😀 \u2028';
    const { run } = sandboxWith({}, text);
    expect((await run('print(context)')).stdout).toBe(`${text}\n`);
    expect((await run('print(context.length); FINAL(context)')).final).toBe(text);
  });

  it('is live', async () => {
    const { sandbox } = sandboxWith();
    const seen: string[] = [];
    const outcome = await sandbox.run('print("first"); await llm_query("x"); print("second")', {
      print: chunk => void seen.push(chunk),
      call: async () => void seen.push('called'),
    });
    expect([seen, outcome]).toEqual([
      ['first\n', 'called', 'second\n'],
      { truncated: false, durationMs: expect.any(Number) as number },
    ]);
  });

  it('of 100 MB, at once or in a million pieces, is cut', async () => {
    const { run } = sandboxWith({ maxOutputLength: 1_000 });
    const once = await run('let s = "x".repeat(1000); while (s.length < 1e8) s += s; print(s)');
    expect([once.stdout.length, once.truncated, once.error]).toEqual([1_000, true, undefined]);
    const often = await run('for (let i = 0; i < 1e5; i++) print("0123456789")');
    expect([often.stdout.length, often.truncated, often.error]).toEqual([1_000, true, undefined]);
    expect((await run('String.prototype.slice = () => "y".repeat(1e7); print("a")')).stdout).toHaveLength(1_000);
  });
});

describe('calls of the host', () => {
  it('run concurrently and return JSON values', async () => {
    const { run } = sandboxWith({}, '', ['look']);
    const seen: unknown[] = [];
    let release = () => {};
    const all = new Promise<void>(resolve => (release = resolve));
    const outcome = await run(
      'const [a, b] = await Promise.all([llm_query("p", "c"), look({ deep: [1] }, 2)]); print(a, b.list)',
      async (name, args) => {
        seen.push([name, args]);
        if (seen.length === 2) release();
        await all;
        return name === 'look' ? { list: ['\0'] } : 'answer';
      },
    );
    expect(seen).toEqual([
      ['llm_query', ['p', 'c']],
      ['look', [{ deep: [1] }, 2]],
    ]);
    expect(outcome.stdout).toBe('answer ["\\u0000"]\n');
  });

  it('that fail are errors that the code can catch', async () => {
    const code = 'try { await llm_query("x") } catch (e) { print(e instanceof Error, e.message) }';
    const refuse = () => Promise.reject(new Error('no more'));
    expect((await runIn(shared)(code, refuse)).stdout).toBe('true no more\n');
    expect((await runIn(shared)('await llm_query("x")', refuse)).error).toContain('Error: no more');
  });

  it('that are not awaited are waited for', async () => {
    const { run } = sandboxWith();
    const code = 'llm_query("x").then(text => print("got " + text)); print("end")';
    expect((await run(code, async () => 'it')).stdout).toBe('end\ngot it\n');
    expect((await run('FINAL(llm_query("x"))', async () => 'it')).final).toBe('it');
  });

  it('do not delay an answer', async () => {
    const { run } = sandboxWith();
    const never = () => new Promise<never>(() => {});
    expect((await run('llm_query("x"); FINAL(1)', never)).final).toBe('1');
    expect((await run('print("next")')).stdout).toBe('next\n');
  });

  it('are not limited by the time of the cell, only the code is', async () => {
    const { run } = sandboxWith({ cellTimeoutMs: 100 });
    const slow = () => new Promise(resolve => setTimeout(resolve, 2_300, 'late'));
    expect((await run('print(await llm_query("x"))', slow)).stdout).toBe('late\n');
  });

  it('cannot fill the memory of the host', async () => {
    const { run } = sandboxWith({ memoryBytes: 2 ** 26 });
    const never = () => new Promise<never>(() => {});
    const flood =
      'let text = "x".repeat(1000); while (text.length < 8e6) text += text; let n = 0; try { for (;;) { await 0; const p = llm_query(text); p.catch(() => {}); await Promise.race([p, 0]); n++ } } catch (e) { print(n, e.message); FINAL(0) }';
    expect((await run(flood, never)).stdout).toMatch(/^\d Too many calls wait/);
    const long = 'let s = "x".repeat(1050); while (s.length < 3.4e7) s += s;';
    const one = `${long} try { await llm_query(s) } catch (e) { print(e.message) }`;
    expect((await sandboxWith().run(one)).stdout).toMatch(/cannot leave the sandbox at once/);
  });
});

describe('FINAL', () => {
  it.each([
    ['"text"', 'text'],
    ['""', ''],
    ['{ a: [1, null] }', '{"a":[1,null]}'],
    ['42', '42'],
    ['null', 'null'],
    [
      'JSON.parse(\'{"__proto__": {"polluted": 1}, "constructor": 2}\')',
      '{"__proto__":{"polluted":1},"constructor":2}',
    ],
    ['{ toJSON() { return "mine" } }', '"mine"'],
    [
      'new Proxy({}, { ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }), get: () => 7 })',
      '{"a":7}',
    ],
  ])('of %s gives %s', async (value, text) => {
    expect(await runIn(shared)(`FINAL(${value})`)).toMatchObject({ final: text });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each([
    ['', 'takes a string or a value that JSON can carry'],
    ['() => 1', 'takes a string or a value that JSON can carry'],
    ['1n', 'BigInt'],
    ['(() => { const a = {}; a.a = a; return a })()', 'circular'],
    ['"x".repeat(2e6)', 'FINAL accepts at most 1000000'],
    ['{ get a() { throw new Error("trap") } }', 'trap'],
  ])('of %s is an error, and no answer', async (value, problem) => {
    const { error, final } = await runIn(shared)(`FINAL(${value})`);
    expect([final, error]).toEqual([undefined, expect.stringContaining(problem)]);
  });

  it('counts the first time, also when the code fails later', async () => {
    expect(await runIn(shared)('FINAL(1); FINAL(2); throw new Error("late")')).toMatchObject({
      final: '1',
      error: expect.stringContaining('late') as string,
    });
  });
});

describe('code that would harm the host', () => {
  const quick = { cellTimeoutMs: 200, memoryBytes: 2 ** 26 };
  const roomy = { cellTimeoutMs: 20_000, memoryBytes: 2 ** 24 };

  it.each([
    ['an infinite loop', quick, 'for (;;) {}', 'ran for more than 200 ms'],
    ['an infinite loop after an await', quick, 'await 0; while (true);', 'ran for more than 200 ms'],
    ['a regular expression bomb', quick, '/^(a+)+$/.test("a".repeat(60) + "b")', 'ran for more than 200 ms'],
    [
      'an error whose message hangs',
      quick,
      'const e = new Error(); Object.defineProperty(e, "message", { get() { for (;;) {} } }); throw e',
      '200 ms',
    ],
    ['deep recursion', roomy, 'function f() { return f() + 1 } f()', 'InternalError: stack overflow'],
    ['deep nesting', roomy, 'JSON.parse("[".repeat(1e6))', 'stack overflow'],
    ['deep nesting of code', roomy, 'eval("(".repeat(1e5))', 'stack overflow'],
    ['a memory bomb', roomy, '(() => { const all = []; for (;;) all.push({ a: 1 }) })()', 'out of memory'],
    ['a string bomb', roomy, '(() => { let s = "x"; for (;;) s += s })()', /string too long|out of memory/],
    [
      'a JSON bomb',
      roomy,
      '(() => { let a = "x".repeat(1e4); for (;;) a = JSON.stringify([a, a]) })()',
      /out of memory|too long/,
    ],
    ['a promise that never settles', roomy, 'await new Promise(() => {})', 'awaits a promise that nothing will settle'],
    ['a thrown trap', roomy, 'throw new Proxy({}, { getPrototypeOf() { throw 1 } })', 'cannot be shown'],
    ['a thrown null', roomy, 'throw null', 'Thrown: null'],
    ['a syntax error', roomy, 'let let = (', 'SyntaxError'],
  ])('%s ends in an error, and variables stay', async (_, limits, code, error) => {
    const { run } = sandboxWith(limits);
    await run('const kept = 1');
    expect((await run(code)).error).toEqual(expect.stringMatching(error));
    expect((await run('print(kept)')).stdout).toBe('1\n');
  });

  it.each([
    ['a hang in a built-in function', 'const a = "a".repeat(2e6); (a + a).indexOf(a + "b")'],
    ['a flood of promises', 'const f = () => Promise.resolve().then(f); f(); f()'],
    ['a flood of promises after the end', 'const f = () => Promise.resolve().then(f); f(); await 0'],
    ['a setter that hangs', 'Object.defineProperty(globalThis, "print", { set() { for (;;) {} } })'],
  ])('%s ends with the thread; the next cell has a new one and knows', async (_, code) => {
    const { run } = sandboxWith(quick, 'text');
    await run('const kept = 1');
    const outcomes = [await run(code), await run('1')];
    expect(outcomes.map(({ error }) => error ?? '').join()).toMatch(/for more than 200 ms.*all variables are gone/);
    expect((await run('print(typeof kept, context)')).stdout).toBe('undefined text\n');
  });

  it('fills memory, which can be released', async () => {
    const { run } = sandboxWith(roomy);
    expect((await run('var all = []; for (;;) all.push({ a: 1 })')).error).toMatch('out of memory');
    await run('all = undefined');
    expect((await run('print("works", typeof all)')).stdout).toBe('works undefined\n');
  });

  it.each([
    ['this.constructor.constructor("return typeof process + typeof require")()', 'undefinedundefined'],
    ['[].constructor.constructor("return this")() === globalThis', 'true'],
    ['llm_query.constructor("return typeof process")()', 'undefined'],
    ['print.constructor.constructor("return typeof globalThis.process")()', 'undefined'],
    ['await import("node:fs").then(() => "loaded", error => error.message)', /could not load/],
    ['typeof require + typeof process + typeof fetch + typeof setTimeout + typeof WebAssembly', 'undefined'.repeat(5)],
    ['typeof Deno + typeof module + typeof Buffer + typeof Worker', 'undefined'.repeat(4)],
    [
      '(() => { try { null.x } catch (e) { return e.constructor.constructor("return typeof process")() } })()',
      'undefined',
    ],
    ['(Object.prototype.polluted = 1, ({}).polluted)', '1'],
  ])('an escape finds nothing: %s', async (code, expected) => {
    const { stdout, error } = await runIn(shared)(`print(${code})`);
    expect(error ?? stdout.trimEnd()).toEqual(expect.stringMatching(expected));
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('damages built-in objects of one sandbox only', async () => {
    const { run } = sandboxWith(quick);
    const spoil = `Array.prototype.map = Object.keys = JSON.stringify = JSON.parse = () => { throw 1 };
      Object.prototype.toJSON = () => 'x'; Promise.prototype.then = null; Function.prototype.call = null; Error.prototype.name = {}`;
    expect((await run(`${spoil}; print('still here')`)).stdout).toBe('still here\n');
    expect((await run('FINAL("me")')).final).toBe('me');
    expect((await sandboxWith(quick).run('print([1].map(String))')).stdout).toBe('["1"]\n');
  });
});

describe('a sandbox', () => {
  it('keeps the context out of the code: 5 MB are a string like any other', async () => {
    const context = `${'é'.repeat(2_500_000)}needle${'x'.repeat(2_500_000)}`;
    const { run } = sandboxWith({ memoryBytes: 2 ** 26 }, context);
    expect((await run('print(context.length, context.indexOf("needle"))')).stdout).toBe('5000006 2500000\n');
  });

  it('rejects a context that does not fit', () => {
    expect(() => sandboxWith({ memoryBytes: 2 ** 21 }, 'x'.repeat(2 ** 20))).toThrow('Raise limits.memoryBytes');
  });

  it('rejects impossible limits', () => {
    expect(() => rlmLimits({ parallelQueries: 0 })).toThrow('parallelQueries is 0: expected a whole number from 1');
    expect(() => rlmLimits({ cellTimeoutMs: Number.NaN })).toThrow('cellTimeoutMs');
  });

  it('ends at once when its signal aborts, whatever it is doing', async () => {
    const controller = new AbortController();
    const sandbox = new Sandbox({
      program,
      context: '',
      functions: [],
      limits: rlmLimits(),
      signal: controller.signal,
    });
    open.push(sandbox);
    const running = sandbox.run('print("on"); for (;;) {}', {
      print: () => controller.abort(new Error('enough')),
      call: async () => null,
    });
    await expect(running).rejects.toThrow('enough');
    await expect(sandbox.run('1', { print: () => {}, call: async () => null })).rejects.toThrow('enough');
  });
});
