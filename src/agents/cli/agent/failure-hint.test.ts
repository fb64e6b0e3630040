import { describe, expect, it } from 'vitest';
import { antigravityAdapter } from '../adapters/antigravity/adapter.ts';
import { codexAdapter } from '../adapters/codex/adapter.ts';
import { failureHint } from './failure-hint.ts';

describe('the hint for a failure', () => {
  it('advises to log in when the message says so', () => {
    expect(failureHint(codexAdapter, '401 Unauthorized')).toContain(codexAdapter.login);
  });

  it.each(["unexpected argument '--json' found", 'unknown option', 'flags provided but not defined: -x'])(
    'is to update a program that says: %s',
    message => {
      expect(failureHint(codexAdapter, message)).toContain('`npm install -g @openai/codex@latest`');
      expect(failureHint(antigravityAdapter, message)).toContain(`\`${antigravityAdapter.install}\``);
    },
  );

  it.each(['OpenCode ended because bash was denied: no', 'Tool "x" requires approval', 'an auto-rejected permission'])(
    'is to allow what was denied: %s',
    message => {
      expect(failureHint(codexAdapter, message)).toMatch(/on a terminal .*--permissions FILE\), or .* --yolo/);
      expect(failureHint(antigravityAdapter, message)).toMatch(/settings of Antigravity, or run it again with --yolo/);
    },
  );

  it.each(['Missing environment variable: `MY_KEY`.', 'Configuration value not found: GOOSE_PROVIDER'])(
    'is to pass a variable that is missing: %s',
    message => expect(failureHint(codexAdapter, message)).toContain('--env NAME'),
  );

  it('is absent for an unrecognised message', () => {
    expect(failureHint(codexAdapter, 'the roof is on fire')).toBeUndefined();
  });
});
