import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bareEnvironment } from './support/bare-environment.ts';
import { packedProject, subpaths } from './support/packed-project.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const majors = [20, 22, 24] as const;
const cache = process.env['SINGLETREE_CLI_CACHE'] ?? join(homedir(), '.cache', 'singletree-test-programs');
const packageName = `node-${process.platform}-${process.arch}`;
const nodeOf = (major: number) => join(cache, `node-${major}`, 'node_modules', packageName, 'bin', 'node');
/** Other runtimes: the package of each, the program in it, and the arguments before a script. */
const runtimes = [
  { name: 'Bun', from: '@oven/bun-linux-x64@1.4.4', program: 'bin/bun', args: ['run'] },
  { name: 'Deno', from: '@deno/linux-x64-glibc@2.9.6', program: 'deno', args: ['run', '-A'] },
] as const;
const isLinux = process.platform === 'linux' && process.arch === 'x64';
const isReady = process.env['CI'] !== undefined || majors.every(major => existsSync(nodeOf(major)));
if (!isReady) console.warn('SKIPPED other versions of Node: they are not installed. CI=true npm test installs them.');

/** Installs the versions of Node that are missing, from the packages that npm's `node` package uses. */
async function installNodes(): Promise<void> {
  await Promise.all(
    majors.map(async major => {
      if (existsSync(nodeOf(major))) return;
      const folder = join(cache, `node-${major}`);
      mkdirSync(folder, { recursive: true });
      await promisify(execFile)('npm', [
        'install',
        '--no-audit',
        '--no-fund',
        '--prefix',
        folder,
        `${packageName}@${major}`,
      ]);
    }),
  );
}

describe.skipIf(!isReady)('the packed package on other versions of Node', () => {
  let project: string;
  beforeAll(async () => {
    await installNodes();
    project = packedProject();
    const names = subpaths.map(path => path.replace('.', 'singletree'));
    writeFileSync(
      join(project, 'all.mjs'),
      `for (const name of ${JSON.stringify(names)}) if (Object.keys(await import(name)).length === 0) throw new Error(name);
console.log(process.versions.node.split('.')[0]);
const [{ loopAgent }, { Supervisor }, { SqliteLog }, { scriptedModel }] = await Promise.all(
  ['agents', 'control', 'log', 'testing'].map(name => import('singletree/' + name)),
);
const log = new SqliteLog(':memory:');
const supervisor = new Supervisor({ log });
const { id } = await log.createThread();
await (await supervisor.start(id, { agent: loopAgent({ model: scriptedModel(['It is sunny.']) }), content: 'Hi' })).done;
console.log((await log.read(id)).flatMap(event => (event.type === 'text' ? event.content : [])).join(''));
await supervisor.close();
await log.close();`,
    );
  }, 300_000);
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  it('installs from the packed file as the documents say, with its command, in as many packages', async () => {
    const folder = join(project, 'as-the-readme-says');
    mkdirSync(folder);
    const npm = (...args: string[]) => promisify(execFile)('npm', args, { cwd: folder, encoding: 'utf8' });
    await npm('init', '--yes');
    const tarball = readdirSync(project).find(file => file.endsWith('.tgz')) ?? '';
    await npm('install', '--no-audit', '--no-fund', join('..', tarball), 'zod');
    const { stdout } = await promisify(execFile)('npx', ['--no', 'singletree', 'models'], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...bareEnvironment(), SINGLETREE_HOME: join(folder, 'home') },
    });
    expect(stdout).toContain('ANTHROPIC_API_KEY');
    const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as { packages: object };
    const [, count] = /MB in (\d+) packages/.exec(readFileSync(join(root, 'docs/README.md'), 'utf8')) ?? [];
    // Without the project itself, and without the builds of native packages for other systems.
    const installed = Object.keys(packages).filter(path => path !== '' && existsSync(join(folder, path)));
    expect(String(installed.length)).toBe(count);
  }, 240_000);

  it.skipIf(!isLinux).each(runtimes)(
    'imports every path and keeps a run in SQLite on $name',
    async runtime => {
      const [name = ''] = /^@[^@]+/.exec(runtime.from) ?? [];
      const folder = join(cache, runtime.from.replace('/', '-'));
      const program = join(folder, 'node_modules', name, runtime.program);
      if (!existsSync(program)) {
        mkdirSync(folder, { recursive: true });
        await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, runtime.from]);
      }
      const { stdout } = await promisify(execFile)(program, [...runtime.args, 'all.mjs'], {
        cwd: project,
        env: { ...bareEnvironment(), HOME: project },
      });
      expect(stdout.trim().split('\n').at(-1)).toBe('It is sunny.');
    },
    240_000,
  );

  it.each(majors)('imports every path, keeps a run and serves the page on Node %i', async major => {
    const options = {
      cwd: project,
      encoding: 'utf8' as const,
      env: { ...bareEnvironment(), SINGLETREE_HOME: join(project, `home-${major}`) },
    };
    const command = 'node_modules/singletree/dist/cli/main.js';
    const run = (...args: string[]) => execFileSync(nodeOf(major), args, options);
    expect(run('all.mjs')).toBe(`${major}\nIt is sunny.\n`);
    expect(run(command, 'demo')).toContain('17 nodes');
    expect(run(command, 'threads')).toContain('Demo');
    const server = spawn(
      nodeOf(major),
      [command, 'serve', '--json', '--no-open', '--no-token', '--port', '0'],
      options,
    );
    try {
      const [line] = (await once(server.stdout, 'data')) as [Buffer];
      const { url } = JSON.parse(String(line)) as { url: string };
      expect(await (await fetch(url)).text()).toContain('<div id="root">');
    } finally {
      server.kill('SIGTERM');
      await once(server, 'exit');
    }
  });
});
