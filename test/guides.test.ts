import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { bareEnvironment } from './support/bare-environment.ts';
import { createModelRegistry } from '../src/agents/index.ts';
import { type ScriptedServer, startScriptedServer } from '../src/testing/index.ts';
import { agUiPeers } from './support/ag-ui-clients.ts';
import { installPeers, type PeerPackages, peersFolder, peersReady } from './support/peer-packages.ts';
import { GuideShell, guideSteps, outputPattern } from './support/guide.ts';
import { packedProject } from './support/packed-project.ts';
import { freePort } from './support/private-servers.ts';

type Script = Parameters<typeof startScriptedServer>[0]['script'];

/** How a guide is followed here: what the model answers, and what of the guide is adapted to this machine. */
interface Trial {
  readonly script?: Script;
  readonly edits?: readonly (readonly [string, string])[];
  /** Packages that the reader installs. */
  readonly peers?: PeerPackages;
  /** Packages of the registry that the guide installs, beside the dependencies of ours. */
  readonly packages?: readonly string[];
}

const root = fileURLToPath(new URL('..', import.meta.url));
const call = (name: string, input: object) => [{ toolCall: { name, input } }];
const project = packedProject();
const programs = join(project, 'programs');
let server: ScriptedServer | undefined;
let shell: GuideShell | undefined;

// What npx does in a project that has the package, without the time it takes.
mkdirSync(programs);
writeFileSync(join(programs, 'npx'), '#!/bin/sh\nexec "$@"\n');
chmodSync(join(programs, 'npx'), 0o755);

afterEach(async () => {
  await shell?.end();
  await server?.close();
  [shell, server] = [undefined, undefined];
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** The environment of a person who has the package in a project, and a key of a model. */
function environment(guide: string): NodeJS.ProcessEnv {
  const path = [programs, join(project, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
  const home = join(project, 'homes', guide);
  const key = server && { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: server.url };
  return {
    ...bareEnvironment(),
    PATH: path,
    HOME: home,
    SINGLETREE_HOME: join(home, '.singletree'),
    NO_COLOR: '1',
    // The page prints what is set.
    ...(guide === 'configuration' && { SINGLETREE_TITLES: undefined }),
    ...key,
  };
}

const mcpServer = join(root, 'test/support/mcp-server.mjs');
const trials: Readonly<Record<string, Trial>> = {
  'coding-agent': { script: [call('list', {}), 'There are notes.'] },
  // What the reader installs is in a cache folder already.
  'connect-copilotkit': {
    peers: agUiPeers,
    edits: [
      ['npm install @ag-ui/client@1.0.0\n', `ln -s ${join(peersFolder(agUiPeers), 'node_modules')} node_modules\n`],
    ],
  },
  memory: { script: ['Hello, Ada.', 'Your name is Ada.'] },
  permissions: { script: [call('bash', { command: 'rm -r .' }), call('bash', { command: 'ls' }), 'It is tidy.'] },
  'mcp-and-skills': {
    script: ({ messages, toolNames }) =>
      messages.some(({ role }) => role === 'tool') ? 'They are here.' : call(toolNames[0] ?? '', {}),
    edits: [
      [
        "command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.']",
        `command: process.execPath, args: ['${mcpServer}']`,
      ],
    ],
  },
  'recursive-language-model': { script: ['```js\nFINAL(context.split("\\n")[1])\n```'] },
  subagents: {
    script: ({ toolNames, messages }) => {
      if (!toolNames.includes('agent')) return 'It greets people.';
      return messages.some(({ role }) => role === 'tool')
        ? 'It greets.'
        : call('agent', { agent: 'reader', task: 'Read.' });
    },
  },
  'mount-the-server': { packages: ['express@5.1.0'] },
  // A reader answers when the stream shows the question.
  'watch-from-curl': {
    edits: [
      [
        '```sh run\ncurl -s -H "$K" $S/api/relays\n',
        '```sh run\nuntil curl -s -H "$K" $S/api/relays | grep -q save_note; do sleep 0.1; done\ncurl -s -H "$K" $S/api/relays\n',
      ],
    ],
  },
};

const pageOf = (guide: string) => `docs/guides/${guide}.md`;
const guides = readdirSync(join(root, 'docs/guides')).map(file => file.replace('.md', ''));
const runnable = guides.filter(guide => {
  const { peers } = trials[guide] ?? {};
  if (peers !== undefined && !peersReady(`the guide ${guide}`, peers)) return false;
  return guideSteps(pageOf(guide)).some(({ kind }) => kind === 'run');
});

/** Follows a guide; the ports that it names are replaced by free ones. */
async function follow(guide: string): Promise<void> {
  const { script, edits = [], packages = [], peers } = trials[guide] ?? {};
  if (peers !== undefined) await installPeers(peers);
  if (script !== undefined) server = await startScriptedServer({ script });
  const text = JSON.stringify(guideSteps(pageOf(guide)));
  const named = ['4318', '4747', '4800'].filter(port => text.includes(port));
  const ports = await Promise.all(named.map(async port => [port, String(await freePort())] as const));
  shell = new GuideShell(join(project, 'guides', guide), environment(guide));
  if (packages.length > 0) {
    const install = `npm init --yes && npm install --no-audit --no-fund --prefer-offline ${packages.join(' ')}`;
    expect((await shell.run(install)).status).toBe(0);
  }
  for (const step of guideSteps(pageOf(guide), [...edits, ...ports])) {
    if (step.kind === 'file') shell.save(step.name, step.text);
    if (step.kind === 'serve') await shell.serve(step.command);
    if (step.kind !== 'run') continue;
    const { status, printed } = await shell.run(step.command);
    expect(status, `${step.command}${printed}`).toBe(0);
    if (step.output !== undefined) expect(printed.trim(), step.command).toMatch(outputPattern(step.output));
  }
}

describe('a guide, followed in an empty folder with the packed package', () => {
  it.each(runnable)('%s works as it is written and prints what it says', follow, 300_000);

  it.each(['harness', 'runtime', 'embed-the-server', 'write-an-agent', 'projections', 'configuration'])(
    '%s, of an entry point, shows something',
    guide => {
      expect(guideSteps(pageOf(guide)).findLast(({ kind }) => kind === 'run')).toMatchObject({
        output: expect.stringMatching(/./) as string,
      });
    },
  );

  it('models names the providers with their keys and packages', () => {
    const page = readFileSync(join(root, pageOf('models')), 'utf8');
    for (const { id, envVar } of createModelRegistry().providers()) {
      expect(page).toContain(`\`${id}\``);
      if (envVar !== undefined) expect(page).toContain(`\`${envVar}\``);
    }
  });
});

describe('the program of a guide', () => {
  it('mount-the-server answers requests as the route handlers of Next', async () => {
    const folder = join(project, 'next');
    mkdirSync(folder);
    for (const step of guideSteps(pageOf('mount-the-server')))
      if (step.kind === 'file') writeFileSync(join(folder, step.name), step.text);
    const script = `
      import { GET, POST } from './route.mjs';
      const headers = { host: 'app.example', authorization: 'Bearer key-of-ann', 'content-type': 'application/json' };
      const url = 'https://app.example/api/threads';
      const made = await POST(new Request(url, { method: 'POST', headers, body: '{"title":"Next"}' }));
      const list = await (await GET(new Request(url, { headers }))).json();
      console.log(made.status, list.threads.map(({ title }) => title).join());
      process.exit();`;
    writeFileSync(join(folder, 'try.mjs'), script);
    const child = spawn(process.execPath, ['try.mjs'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    expect(await text(child.stdout)).toBe('201 Next\n');
  });

  /** Saves a file of a guide with changes, and starts it. */
  function start(guide: string, file: string, edits: readonly (readonly [string, string])[]) {
    const step = guideSteps(pageOf(guide), edits).find(each => each.kind === 'file' && each.name === file);
    const folder = join(project, 'programs-of-guides');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, file), step?.kind === 'file' ? step.text : '');
    return spawn(process.execPath, [file], {
      cwd: folder,
      env: environment(guide),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  it('harness ends its run on Ctrl-C, and then itself', async () => {
    const child = start('harness', 'harness.mjs', [
      ["'Good day to you!'", "{ text: 'Good day to you!', delayMs: 60_000 }"],
    ]);
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');
    child.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
  });

  it('embed-the-server ends on Ctrl-C, and has no page with `page: false`', async () => {
    for (const [option, expected] of [
      ['port: 0', [200, expect.stringContaining('<div id="root">')]],
      ['port: 0, page: false', [404, expect.anything()]],
    ] as const) {
      const child = start('embed-the-server', 'server.mjs', [['port: 4800', option]]);
      const ended = once(child, 'exit');
      const [line] = (await once(child.stdout, 'data')) as [Buffer];
      const page = await fetch(String(line).trim());
      expect([page.status, await page.text()]).toEqual(expected);
      child.kill('SIGINT');
      expect(await ended).toEqual([0, null]);
    }
  });
});
