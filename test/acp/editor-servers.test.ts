import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ModelScript, ScriptedTurn } from '../../src/agents/model/scripted/script.ts';
import { type ScriptedRequest, startScriptedServer } from '../../src/testing/index.ts';
import { installPrograms, isTried, programsReady, realProgram } from '../cli-agents/support/real-program.ts';
import { builtCommand } from '../support/command.ts';
import { Editor, select } from './editor-scene.ts';

const server = fileURLToPath(new URL('../support/mcp-server.mjs', import.meta.url));
const servers = [{ name: 'my sums', command: process.execPath, args: [server], env: [] }];
const input = { a: 123_456, b: 654_321 };

/** How the model of each program calls the tool `add` of the server. */
const calls: Readonly<Record<string, ScriptedTurn>> = {
  claude: [{ toolCall: { name: 'mcp__my_sums__add', input } }],
  codex: [{ toolCall: { name: 'add', namespace: 'mcp__my_sums', input } }],
  opencode: [{ toolCall: { name: 'my_sums_add', input } }],
  gemini: [{ toolCall: { name: 'mcp_my_sums_add', input } }],
};
const programs = Object.keys(calls).filter(isTried);

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** An editor whose agent is a real program with a scripted model. */
async function openEditor(program: string, script: ModelScript, { isTrusted = true } = {}) {
  const model = await startScriptedServer({ script });
  const { executable = '', cwd, env = {} } = realProgram(program, model.url);
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-editor-')));
  if (isTrusted) builtCommand(undefined, { SINGLETREE_HOME: home }).singletree('config', 'trust', cwd);
  const editor = await Editor.open({
    home,
    cwd,
    args: [program],
    env: { ...env, PATH: `${dirname(executable)}:${env['PATH'] ?? process.env['PATH'] ?? ''}` },
    permission: () => select('allow'),
  });
  cleanups.push(
    () => model.close(),
    () => rmSync(dirname(cwd), { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
    () => rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
    () => editor.close(),
  );
  const sent = () => model.requests.map(({ body }) => JSON.stringify(body)).join('\n');
  return { editor, cwd, sent };
}

describe.skipIf(!programsReady('MCP servers of an editor', programs))('the MCP servers of an editor', () => {
  beforeAll(() => installPrograms(programs), 600_000);

  it.each(programs)(
    'are used by %s in a trusted folder: its model gets their result',
    async program => {
      // Some programs ask the model more, without tools, such as for a title.
      const script = ({ step, toolNames }: ScriptedRequest) =>
        step === 0 && toolNames.length > 0 ? (calls[program] as ScriptedTurn) : 'Done.';
      const { editor, cwd, sent } = await openEditor(program, script);
      const { stopReason } = await editor.prompt(await editor.newSession(cwd, servers), 'Add them');
      expect(stopReason, editor.stderr).toBe('end_turn');
      expect(sent()).toContain('777777');
    },
    120_000,
  );

  it.each(programs.slice(0, 1))(
    'are not passed to %s in a folder that is not trusted',
    async program => {
      const { editor, cwd, sent } = await openEditor(program, ['Done.'], { isTrusted: false });
      await editor.prompt(await editor.newSession(cwd, servers), 'Add them');
      expect(editor.text('agent_message_chunk')).toContain('are not used (my sums): this folder is not trusted.');
      expect(sent()).not.toContain('my_sums');
    },
    120_000,
  );
});

describe.skipIf(!programsReady('MCP servers of an editor', ['pi']))('a program without MCP', () => {
  beforeAll(() => installPrograms(['pi']), 600_000);

  it('answers, and the editor shows that its servers are not used', async () => {
    const { editor, cwd } = await openEditor('pi', ['Done.']);
    await editor.newSession(cwd, servers);
    await expect
      .poll(() => editor.text('agent_message_chunk'))
      .toContain('The MCP servers of the editor are not used (my sums): the agent "pi" takes none.');
  }, 60_000);
});
