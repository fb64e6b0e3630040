import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCommandCall, type StartScreen, startLines } from './start-screen.ts';

const screen: StartScreen = {
  version: '1.2.3',
  url: 'http://127.0.0.1:4747',
  folder: '~/project',
  found: ['a git repository', 'package.json'],
  store: '~/.singletree/singletree.db',
  agents: [{ id: 'demo', name: 'Demo' }],
  models: [],
  problems: [],
  resumed: 0,
  call: { command: 'singletree', where: 'in another terminal, in any folder' },
};

describe('the first screen of the server', () => {
  it('shows where it is, what was found and what to do next', () => {
    expect(startLines(screen)).toEqual([
      'Singletree is at http://127.0.0.1:4747',
      '',
      '  folder   ~/project',
      '  found    a git repository, package.json',
      '  store    ~/.singletree/singletree.db',
      '  agents   demo',
      '  models   none yet: set ANTHROPIC_API_KEY or OPENAI_API_KEY (singletree models --all)',
      '',
      'Next: open the page, or in another terminal, in any folder',
      '  singletree run demo "Save a note for me"',
      '  singletree inbox                                   what waits for you',
      '  singletree doctor                                  what is missing, and how to fix it',
      '',
      'Ctrl-C stops it; open runs resume at the next start. (version 1.2.3)',
    ]);
  });

  it('names a command that can be called: after npm link from a clone, through npx in a project', async () => {
    const bin = mkdtempSync(join(tmpdir(), 'singletree-path-'));
    const find = () => findCommandCall({ npm_command: 'run-script', PATH: bin });
    expect(await find()).toEqual({
      command: 'singletree',
      where: 'after `npm link` in the clone, in another terminal, in any folder',
    });
    writeFileSync(join(bin, 'singletree'), '', { mode: 0o755 });
    const linked = { command: 'singletree', where: 'in another terminal, in any folder' };
    expect(await find()).toEqual(linked);
    expect(await findCommandCall({ PATH: '' })).toEqual(linked);
    expect(await findCommandCall({ npm_command: 'exec', PATH: bin })).toEqual({
      command: 'npx singletree',
      where: 'in another terminal, in this folder',
    });
    rmSync(bin, { recursive: true });
  });

  it('shows the address that signs in, and where the token is', () => {
    const text = startLines({
      ...screen,
      link: 'http://127.0.0.1:4747/login?token=t',
      tokenFile: '~/.singletree/token',
    });
    expect(text[0]).toBe('Singletree is at http://127.0.0.1:4747/login?token=t');
    expect(text).toContain('  token    ~/.singletree/token');
  });

  it('shows the model, problems, resumed runs and the port that is taken', () => {
    const text = startLines({
      ...screen,
      taken: 'port 4747 is taken by another program',
      found: [],
      agents: [{ id: 'coder', name: 'Coder' }, ...screen.agents],
      models: ['anthropic/a', 'anthropic/b'],
      problems: ['The MCP server "x" is not available'],
      resumed: 2,
    }).join('\n');
    for (const part of [
      '(port 4747 is taken by another program)',
      'found    no project: start it in the folder of one, or try --example',
      'agents   coder, demo',
      'models   anthropic/a and 1 more (singletree models)',
      'problem  The MCP server "x" is not available',
      'resumed  2 interrupted runs',
      'singletree run coder "What does this project do?"',
    ])
      expect(text).toContain(part);
  });
});
