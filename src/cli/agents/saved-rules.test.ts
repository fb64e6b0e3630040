import { chmodSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { scriptedAgent } from '../../../test/support/scripted-agent.ts';
import { decideAll } from '../../agents/permissions/decide.ts';
import type { DecisionSource } from '../../agents/contract/permissions.ts';
import { StoredRules } from '../../config/stored-rules.ts';
import { withSavedRules } from './saved-rules.ts';

let home: string;
let stored: StoredRules;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'singletree-rules-'));
  stored = new StoredRules(home);
});

const request = (command: string, tool = 'bash') => ({
  tool,
  input: { command },
  category: 'execute',
  shell: true,
});

/** Decides as the agent that a run invokes would. */
async function decide(command: string, others: readonly DecisionSource[] = [], tool?: string) {
  let sources: readonly DecisionSource[] = [];
  const agent = scriptedAgent('a', async function* ({ params, event }) {
    sources = params.host.permissions ?? [];
    yield event('text', { id: 't', content: 'Done.' });
  });
  const events = withSavedRules(agent, home).invoke({
    run: { runId: 'r', signal: new AbortController().signal },
    conversation: { messages: [] },
    host: { permissions: [{ rules: [] }, ...others] },
  });
  for await (const event of events) void event;
  return decideAll(sources, [], request(command, tool)).policy;
}

describe('a rule that was saved for all conversations', () => {
  it('allows exactly its command of its tool, from the next call on, until it is removed', async () => {
    expect(await decide('npm test')).toBe('ask');
    const { id } = stored.add({ tool: 'bash', command: 'npm test', policy: 'allow' });
    expect(await decide('npm test')).toBe('allow');
    expect([await decide('npm test --fix'), await decide('npm test', [], 'shell')]).toEqual(['ask', 'ask']);
    expect(stored.remove(id)).toBe(true);
    expect([await decide('npm test'), stored.remove(id)]).toEqual(['ask', false]);
  });

  it('allows neither what another rule denies or may deny, nor what a mode asks about', async () => {
    stored.add({ tool: 'bash', command: 'npm test', policy: 'allow' });
    const deny = { rules: [{ command: 'npm *', policy: 'deny' as const }] };
    expect(await decide('npm test', [deny])).toBe('deny');
    expect(await decide('npm test', [() => ({ policy: 'ask' })])).toBe('ask');
  });

  it('is in a file that only its owner can read; one that others can read, or that is damaged, allows nothing', async () => {
    stored.add({ tool: 'bash', command: 'npm test', policy: 'allow' });
    const file = join(home, 'rules.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o666);
    expect(await decide('npm test')).toBe('ask');
    expect(() => stored.list()).toThrow(/can be read by others/);
    chmodSync(file, 0o600);
    writeFileSync(file, '{ "rules": [{ "rule": { "policy": "allow" } }] }');
    expect(await decide('npm test')).toBe('ask');
  });
});
