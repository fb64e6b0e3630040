import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packedProject, subpaths } from './support/packed-project.ts';

const majors = [20, 22, 24] as const;
const cache = process.env['SINGLETREE_CLI_CACHE'] ?? join(homedir(), '.cache', 'singletree-test-programs');
const packageName = `node-${process.platform}-${process.arch}`;
const nodeOf = (major: number) => join(cache, `node-${major}`, 'node_modules', packageName, 'bin', 'node');
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

  it.each(majors)('imports every path, keeps a run and serves the page on Node %i', async major => {
    const options = {
      cwd: project,
      encoding: 'utf8' as const,
      env: { PATH: process.env['PATH'], SINGLETREE_HOME: join(project, `home-${major}`) },
    };
    const command = 'node_modules/singletree/dist/cli/main.js';
    const run = (...args: string[]) => execFileSync(nodeOf(major), args, options);
    expect(run('all.mjs')).toBe(`${major}\nIt is sunny.\n`);
    expect(run(command, 'demo')).toContain('17 nodes');
    expect(run(command, 'threads')).toContain('Demo');
    const server = spawn(nodeOf(major), [command, 'serve', '--json', '--no-open', '--port', '0'], options);
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
