import { describe, expect, it } from 'vitest';
import { type StartScreen, startLines } from './start-screen.ts';

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
  command: 'npx singletree',
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
      'Next: open the page, or in another terminal',
      '  npx singletree run demo "Save a note for me"',
      '  npx singletree inbox                               what waits for you',
      '  npx singletree doctor                              what is missing, and how to fix it',
      '',
      'Ctrl-C stops it; open runs resume at the next start. (version 1.2.3)',
    ]);
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
