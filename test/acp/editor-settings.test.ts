import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Editor } from './editor-scene.ts';

interface AgentServer {
  readonly command: string;
  readonly args: readonly string[];
}

const guide = readFileSync(new URL('../../docs/guides/editors.md', import.meta.url), 'utf8');
const servers = [...guide.matchAll(/^```json\n([\s\S]*?)^```$/gm)].flatMap(([, text = '']) =>
  Object.entries((JSON.parse(text) as { agent_servers: Record<string, AgentServer> }).agent_servers),
);
const [, neovim = ''] = /default = \{ ([^}]*) \}/.exec(guide) ?? [];
const home = mkdtempSync(join(tmpdir(), 'singletree-settings-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('the settings of the guide for editors', () => {
  it('start our command with npx', () => {
    expect(servers.map(([, { command, args }]) => [command, ...args.slice(0, 2)])).toEqual(
      servers.map(() => ['npx', 'singletree', 'acp']),
    );
    expect(servers).toHaveLength(3);
    expect(neovim).toBe('"npx", "singletree", "acp"');
  });

  it.each(servers.filter(([, { args }]) => !args.includes('claude')))(
    'start an agent that answers: %s',
    async (_, { args }) => {
      const editor = await Editor.open({ home, cwd: home, args: args.slice(2) });
      expect(editor.initialized.agentInfo?.name).toBe('singletree');
      expect(await editor.close()).toBe(0);
      expect(editor.lines.problems).toEqual([]);
    },
  );
});
