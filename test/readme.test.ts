import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { bareEnvironment } from './support/bare-environment.ts';
import { startScriptedServer } from '../src/testing/index.ts';
import { packedProject } from './support/packed-project.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'GLOSSARY.md'].concat(
  readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.md'))
    .map(file => join('docs', file)),
);
const project = packedProject();
afterAll(() => rmSync(project, { recursive: true, force: true }));

describe('the README', () => {
  it.each(pages)('and the documents have links to files that exist: %s', page => {
    const links = [...read(page).matchAll(/\]\((?!https?:|#|mailto:)([^)\s#]+)/g)].map(([, link = '']) => link);
    expect(links.filter(link => !existsSync(join(root, dirname(page), link)))).toEqual([]);
  });

  it('has an example of twenty lines that runs with the packed package', async () => {
    const [, code = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(read('README.md')) ?? [];
    expect(code.split('\n').filter(line => line.trim() !== '').length).toBeLessThanOrEqual(22);
    writeFileSync(join(project, 'example.mjs'), code);
    const model = await startScriptedServer({
      script: [[{ toolCall: { name: 'weather', input: { city: 'Bern' } } }], 'Sunny, they say.'],
    });
    try {
      const { stdout } = await promisify(execFile)(process.execPath, ['example.mjs'], {
        cwd: project,
        env: { ...bareEnvironment(), ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: model.url },
        timeout: 60_000,
      });
      expect(stdout).toBe('Sunny, they say.');
    } finally {
      await model.close();
    }
    const withoutKey = spawnSync(process.execPath, ['example.mjs'], {
      cwd: project,
      env: bareEnvironment(),
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect([withoutKey.status, withoutKey.stderr]).toEqual([1, expect.stringContaining('ANTHROPIC_API_KEY')]);
  });

  it('states the size of the package as the measurements do, and shows pictures that load fast', () => {
    const [size] = /\d+ MB in \d+ packages/.exec(read('docs/performance.md')) ?? [];
    expect(read('docs/README.md')).toContain(size);
    expect(read('README.md').split('\n').length, 'what is read in the first minute').toBeLessThan(85);
    const shown = [...read('README.md').matchAll(/\]\((docs\/images\/[^)]+)\)/g)].map(([, file = '']) => file);
    expect(shown).toEqual(
      ['recording.svg', 'page.png', 'terminal.svg', 'compare.png'].map(name => `docs/images/${name}`),
    );
    for (const file of shown) expect(statSync(join(root, file)).size, file).toBeLessThan(300_000);
    expect(read('docs/images/recording.svg')).toMatch(/animation:.*kill -9/s);
  });

  it('leads to every guide', () => {
    const guides = readdirSync(join(root, 'docs/guides')).map(name => `guides/${name}`);
    expect(guides.filter(guide => !read('docs/README.md').includes(`](${guide})`))).toEqual([]);
  });

  it('links to pages that show what is stated about others', () => {
    const rows = read('docs/beside-others.md')
      .split('\n')
      .filter(line => line.startsWith('| ['));
    expect(rows).toHaveLength(5);
    for (const row of rows) {
      const [, , whatItIs = '', whatItHas = '', whatWeHave = ''] = row.split('|');
      expect(whatItIs, row).toContain('](https://');
      expect(whatItIs + whatItHas, row).toMatch(/\]\(https:.*\]\(https:/);
      expect(whatWeHave, row).toMatch(/\]\((guides|spec|agents)\//);
    }
  });

  it('names commands that the package has', async () => {
    const { commandNames } = await import('../src/cli/command-list.ts');
    const named = [...read('README.md').matchAll(/^ +singletree ([a-z]+)/gm)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(6);
    expect(named.filter(name => !(commandNames as readonly string[]).includes(name ?? ''))).toEqual([]);
  });

  it('has tries that work as they are typed, in another folder than the clone', async () => {
    const tries = [...read('README.md').matchAll(/^ {3}singletree (agents|undo) +#/gm)].map(([, name]) => name);
    expect(tries).toEqual(['undo', 'agents']);
    const folder = join(project, 'elsewhere');
    mkdirSync(folder);
    const env = { ...bareEnvironment(), SINGLETREE_HOME: join(folder, 'home') };
    const singletree = (...args: string[]) =>
      spawnSync(join(project, 'node_modules/.bin/singletree'), args, {
        cwd: folder,
        env,
        encoding: 'utf8',
        input: 'Hello\n',
      });
    expect(singletree('agents').stdout).toMatch(/^coder +no model[^]*^demo +ready/m);
    expect(singletree('chat', 'demo').stdout).toContain('› Hello');
    expect(singletree('threads').stdout).toMatch(/ demo +\. +/);
  });

  it('comes with the guides and the examples it refers to', () => {
    for (const file of ['docs/guides/harness.md', 'docs/reference/README.md', 'examples/harness-console/demo.ts'])
      expect(existsSync(join(project, 'node_modules/singletree', file)), file).toBe(true);
  });
});
