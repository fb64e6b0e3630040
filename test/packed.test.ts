import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, describe, expect, it } from 'vitest';
import { manifest, packedProject, subpaths } from './support/packed-project.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const project = packedProject();
const run = (command: string, args: string[]) => execFileSync(command, args, { cwd: project, encoding: 'utf8' });

const compilerOptions = {
  module: 'nodenext',
  target: 'es2023',
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  types: ['node'],
};

/** What the compiler has to say about the project. */
function compile(): string {
  return spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd: project, encoding: 'utf8' }).stdout;
}

/** What an import of a file of the package loads at once beside other files of it: packages and modules of Node. */
function loadedBy(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const code = readFileSync(file, 'utf8');
  const specifiers = [...code.matchAll(/^(?:import|export) (?:[^"'`;]*? from )?"([^"]+)";$/gm)].map(
    ([, name]) => name as string,
  );
  const loaded = specifiers.flatMap(name => (name.startsWith('.') ? loadedBy(join(file, '..', name), seen) : [name]));
  return [...new Set(loaded)].toSorted();
}

const loadedBySubpath = (path: string) =>
  loadedBy(join(project, 'node_modules/singletree', manifest.exports[path] as string));

afterAll(() => rmSync(project, { recursive: true, force: true }));

describe('the packed package', () => {
  it('can be imported by every subpath', () => {
    const names = subpaths.map(path => path.replace('.', 'singletree'));
    writeFileSync(
      join(project, 'all.mjs'),
      `for (const name of ${JSON.stringify(names)}) console.log(name, Object.keys(await import(name)).length > 0);`,
    );
    expect(run('node', ['all.mjs']).trim().split('\n')).toEqual(names.map(name => `${name} true`));
  });

  it.each(['./events', './graph', './projections', './protocols', './client'])(
    'runs in a browser: %s loads nothing of Node',
    path => {
      const loaded = loadedBySubpath(path);
      expect(loaded).toContain('zod');
      expect(loaded.filter(name => name.startsWith('node:'))).toEqual([]);
    },
  );

  it.each([
    ['.', ['zod']],
    ['./control', ['zod']],
    ['./log', ['zod']],
    ['./testing', ['@ai-sdk/provider', 'zod']],
    ['./agents', ['@ai-sdk/provider', 'zod']],
    ['./runtime', ['zod']],
  ])('loads no package before it is needed: %s loads %j', (path, packages) => {
    expect(loadedBySubpath(path).filter(name => !name.startsWith('node:'))).toEqual(packages);
  });

  it('contains the one encoding of its tokenizer, with equal counts and the notice of its licence', async () => {
    const installed = join(project, 'node_modules/singletree');
    const { countTokens: count } = (await import(join(installed, 'dist/chunks/o200k_base.js'))) as {
      countTokens: typeof countTokens;
    };
    const text = readFileSync(join(root, 'package-lock.json'), 'utf8').slice(0, 50_000);
    for (const sample of [text, 'ｗｉｄｅ 𠮷㐂龘 🧭', '<|endoftext|>'])
      expect(count(sample, { allowedSpecial: 'all' })).toBe(countTokens(sample, { allowedSpecial: 'all' }));
    expect(Object.keys(manifest.dependencies)).not.toContain('gpt-tokenizer');
    expect(readFileSync(join(installed, 'THIRD-PARTY-NOTICES.md'), 'utf8')).toContain('Bazyli Brzoska');
  });

  it('is loaded from few files', () => {
    const files = readdirSync(join(project, 'node_modules/singletree/dist'), { recursive: true, encoding: 'utf8' });
    const modules = files.filter(file => file.endsWith('.js') && !file.startsWith('web'));
    // Each command, and each protocol that it speaks, is loaded by itself.
    expect(modules.length).toBeLessThan(280);
  });

  it('type-checks in a strict project, which looks into all declarations', () => {
    const imports = subpaths.map(
      (path, index) =>
        `import * as m${index} from '${path.replace('.', 'singletree')}';\nexport const use${index} = m${index};`,
    );
    writeFileSync(join(project, 'consumer.ts'), imports.join('\n'));
    const strictest = { ...compilerOptions, skipLibCheck: false };
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: strictest, files: ['consumer.ts'] }),
    );
    expect(compile()).toBe('');
  });

  it('type-checks without the types of Node where it runs in a browser', () => {
    const entries = ['events', 'graph', 'projections', 'protocols', 'client'];
    const imports = entries.map(name => `export * as ${name} from 'singletree/${name}';`);
    writeFileSync(join(project, 'page.ts'), imports.join('\n'));
    const options = { ...compilerOptions, skipLibCheck: false, types: [], lib: ['ES2023', 'DOM', 'DOM.Iterable'] };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['page.ts'] }));
    expect(compile()).toBe('');
  });

  it('is what the README and the guides say: their programs compile', () => {
    const pages = ['README.md', ...readdirSync(join(root, 'docs/guides')).map(page => `docs/guides/${page}`)];
    const files = pages.flatMap((page, number) => {
      const blocks = [...readFileSync(join(root, page), 'utf8').matchAll(/^```(ts|js)\n([\s\S]*?)^```$/gm)];
      mkdirSync(join(project, `page-${number}`), { recursive: true });
      return blocks.flatMap(([, language, code = ''], index) => {
        const [, named] = /^\/\/ (\S+\.(?:ts|mjs))\n/.exec(code) ?? [];
        // What is not saved as a file is a fragment; in JavaScript it need not be complete.
        if (language === 'js' && named === undefined) return [];
        const name = `page-${number}/${named ?? `snippet-${index}.ts`}`;
        writeFileSync(join(project, name), `${code}\nexport {};\n`);
        return [name];
      });
    });
    expect(files.length).toBeGreaterThan(30);
    // What guides use of packages that are not installed here.
    writeFileSync(
      join(project, 'others.d.ts'),
      `declare module '@ag-ui/client' {
        interface Message { id: string; role: string; content?: string }
        class HttpAgent {
          constructor(options: { url: string; headers: Record<string, string> });
          readonly messages: Message[];
          readonly pendingInterrupts: { id: string; message: string }[];
          addMessage(message: Message): void;
          runAgent(parameters?: { resume: object[] }): Promise<unknown>;
        }
      }
      declare module 'express' {
        type Handler = (request: unknown, response: { send(text: string): void }) => void;
        interface Server { use(...handlers: unknown[]): void; get(path: string, handler: Handler): void; listen(port: number, ready: () => void): void }
        const express: { (): Server; json(): unknown };
        export default express;
      }`,
    );
    const checked = { ...compilerOptions, allowJs: true, checkJs: true };
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: checked, files: ['others.d.ts', ...files] }),
    );
    expect(compile()).toBe('');
  });

  it('brings its command', () => {
    expect(run('node', ['node_modules/singletree/dist/cli/main.js', '--version']).trim()).toBe('0.1.0');
  });

  it('holds no tests and no build leftovers', () => {
    const files = run('find', ['node_modules/singletree/', '-name', '*.test.*', '-o', '-name', '*.tsbuildinfo']);
    expect(files).toBe('');
  });
});
