import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ModelScript, type ScriptedServer, startScriptedServer } from '../../src/testing/index.ts';
import { bareEnvironment } from '../support/bare-environment.ts';
import { builtCommand } from '../support/command.ts';
import { gate } from '../support/scripted-agent.ts';
import { command, Editor, type EditorOptions, select } from './editor-scene.ts';

let home: string;
let cwd: string;
let model: ScriptedServer | undefined;
const editors: Editor[] = [];

beforeEach(() => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-acp-')));
  home = join(root, 'home');
  cwd = join(root, 'project');
  mkdirSync(home);
  mkdirSync(cwd);
});
afterEach(async () => {
  const open = editors.splice(0);
  for (const editor of open)
    if (editor.child.exitCode === null && editor.child.signalCode === null) await editor.kill();
  await model?.close();
  model = undefined;
  rmSync(join(home, '..'), { recursive: true, force: true });
  for (const { lines } of open) expect(lines.problems).toEqual([]);
});

async function open(options: Partial<EditorOptions> = {}) {
  const env = model === undefined ? {} : { OPENAI_API_KEY: 'sk-scripted-key', OPENAI_BASE_URL: `${model.url}/v1` };
  const editor = await Editor.open({ home, cwd, env, args: model === undefined ? ['demo'] : ['coder'], ...options });
  editors.push(editor);
  return editor;
}

const startModel = async (script: ModelScript) => (model = await startScriptedServer({ script }));
const edits: ModelScript = ({ step }) =>
  step === 0
    ? [{ toolCall: { name: 'read', input: { path: 'a.txt' } } }]
    : step === 1
      ? [{ toolCall: { name: 'edit', input: { path: 'a.txt', old_string: 'old', new_string: 'new' } } }]
      : 'Edited.';

interface Settings {
  readonly modes?: SessionModeState;
  readonly configOptions?: readonly SessionConfigOption[];
}

describe('singletree acp', () => {
  it('answers an editor: a session, a prompt with a permission, its diff, its end, and exit code 0', async () => {
    writeFileSync(join(cwd, 'a.txt'), 'old\n');
    await startModel(edits);
    const editor = await open({ permission: () => select('allow') });
    expect(editor.initialized).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: 'singletree' },
      authMethods: [],
      agentCapabilities: { loadSession: true, sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} } },
      _meta: { steering: { supported: true } },
    });
    const sessionId = await editor.newSession();
    expect(await editor.prompt(sessionId, 'Change it')).toEqual({ stopReason: 'end_turn' });
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('new\n');
    expect(editor.text('agent_message_chunk')).toBe('Edited.');
    expect(editor.text('user_message_chunk')).toBe('');
    const path = join(cwd, 'a.txt');
    expect(editor.permissions.at(-1)).toMatchObject({
      sessionId,
      toolCall: {
        title: 'Edit a.txt',
        kind: 'edit',
        content: [{ type: 'diff', path, oldText: 'old', newText: 'new' }],
      },
      options: [{ kind: 'allow_once' }, { kind: 'allow_always' }, { kind: 'reject_once' }],
    });
    expect(editor.updates).toContainEqual(
      expect.objectContaining({ sessionUpdate: 'tool_call', kind: 'read', locations: [{ path }] }),
    );
    expect(editor.kinds()).toEqual(
      expect.arrayContaining(['available_commands_update', 'session_info_update', 'tool_call_update']),
    );
    expect(await editor.close()).toBe(0);
  }, 60_000);

  it('replays a thread before it answers session/load, in another process, and continues it', async () => {
    await startModel(({ lastUserText }) => `You said: ${lastUserText}`);
    const first = await open();
    const sessionId = await first.newSession();
    await first.prompt(sessionId, 'One');
    await first.close();
    const second = await open();
    const loaded = second.request('session/load', { sessionId, cwd, mcpServers: [] }).then(() => second.kinds().length);
    const count = await loaded;
    expect(second.kinds().slice(0, count)).toEqual(['user_message_chunk', 'agent_message_chunk']);
    expect([second.text('user_message_chunk'), second.text('agent_message_chunk')]).toEqual(['One', 'You said: One']);
    await second.prompt(sessionId, 'Two');
    expect(second.text('agent_message_chunk')).toBe('You said: OneYou said: Two');
    const third = await open();
    await third.request('session/resume', { sessionId, cwd, mcpServers: [] });
    await third.prompt(sessionId, 'Three');
    expect(third.text('agent_message_chunk')).toBe('You said: Three');
    const { sessions } = await third.request<{ sessions: unknown[] }>('session/list', { cwd });
    expect(sessions).toMatchObject([{ sessionId, cwd, title: 'One' }]);
    expect(await third.request('session/list', { cwd: tmpdir() })).toEqual({ sessions: [] });
    await third.request('session/delete', { sessionId });
    await expect(third.prompt(sessionId, 'Four')).rejects.toMatchObject({ code: -32_002 });
    expect(await third.request('session/list', { cwd })).toEqual({ sessions: [] });
  }, 90_000);

  it('continues a thread of another command, and shows what that one says meanwhile', async () => {
    const { url } = await startModel(({ lastUserText }) => `You said: ${lastUserText}`);
    const env = { ...bareEnvironment(), SINGLETREE_HOME: home, OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `${url}/v1` };
    const run = (...args: string[]) => promisify(execFile)(process.execPath, [command, ...args], { cwd, env });
    await run('run', 'coder', 'Zero');
    const editor = await open();
    const { sessions } = await editor.request<{ sessions: { sessionId: string }[] }>('session/list', { cwd });
    const sessionId = sessions[0]?.sessionId ?? '';
    await editor.request('session/load', { sessionId, cwd, mcpServers: [] });
    await editor.prompt(sessionId, 'One');
    await run('send', sessionId, 'Two');
    await expect.poll(() => editor.text('agent_message_chunk'), { timeout: 20_000 }).toContain('You said: Two');
    expect(editor.text('user_message_chunk')).toBe('ZeroTwo');
    expect(editor.text('agent_message_chunk')).toBe('You said: ZeroYou said: OneYou said: Two');
  }, 60_000);

  it('asks again after kill -9 what was pending, and the answer of the inbox closes the request', async () => {
    const first = await open({ permission: () => new Promise(() => {}) });
    const sessionId = await first.newSession();
    void first.prompt(sessionId, 'Save a note for me').catch(() => {});
    await expect.poll(() => first.permissions.length, { timeout: 20_000 }).toBe(1);
    await first.kill();
    const second = await open({ permission: () => new Promise(() => {}) });
    await second.request('session/load', { sessionId, cwd, mcpServers: [] });
    await expect.poll(() => second.permissions.length, { timeout: 20_000 }).toBe(1);
    const asked = second.permissions[0]?.toolCall.toolCallId;
    expect(second.updates).toContainEqual(expect.objectContaining({ sessionUpdate: 'tool_call', toolCallId: asked }));
    const { singletree } = builtCommand(undefined, { SINGLETREE_HOME: home });
    expect(singletree('inbox', 'approve', '1')).toMatchObject({ status: 0 });
    await expect.poll(() => second.withdrawn.length, { timeout: 20_000 }).toBe(1);
    await expect
      .poll(() => second.text('agent_message_chunk'), { timeout: 20_000 })
      .toContain('Done: the note is saved.');
  }, 90_000);

  it('aborts at session/cancel and answers the prompt, not an error; a queued prompt is cancelled with it', async () => {
    const asked = gate();
    await startModel(() => {
      asked.open();
      return [{ toolCall: { name: 'bash', input: { command: 'sleep 600' } } }];
    });
    const editor = await open({ args: ['coder'], permission: () => select('allow') });
    const sessionId = await editor.newSession();
    const running = editor.prompt(sessionId, 'Wait');
    await asked.opened;
    await expect.poll(() => editor.permissions.length, { timeout: 20_000 }).toBe(1);
    const queued = editor.prompt(sessionId, 'And then');
    await expect
      .poll(() => builtCommand(undefined, { SINGLETREE_HOME: home }).singletree('export', 'last').stdout)
      .toContain('message_queued');
    await editor.notify('session/cancel', { sessionId });
    expect([await running, await queued]).toEqual([{ stopReason: 'cancelled' }, { stopReason: 'cancelled' }]);
  }, 60_000);

  it('answers a prompt when its session is closed, and aborts what it runs', async () => {
    const editor = await open({ permission: () => new Promise(() => {}) });
    const sessionId = await editor.newSession();
    const running = editor.prompt(sessionId, 'Save a note for me');
    await expect.poll(() => editor.permissions.length, { timeout: 20_000 }).toBe(1);
    await editor.request('session/close', { sessionId });
    expect(await running).toEqual({ stopReason: 'cancelled' });
    const { stdout } = builtCommand(undefined, { SINGLETREE_HOME: home }).singletree('export', 'last');
    expect(stdout).toContain('"reason":"aborted"');
  }, 60_000);

  it('changes mode and model in both vocabularies', async () => {
    await startModel(({ model: used }) => `I am ${used}`);
    const editor = await open();
    const created = await editor.request<Settings & { sessionId: string }>('session/new', { cwd, mcpServers: [] });
    const { sessionId, modes, configOptions = [] } = created;
    const modeIds = modes?.availableModes.map(({ id }) => id) ?? [];
    expect(modeIds.length).toBeGreaterThan(1);
    expect(configOptions.map(({ id, category }) => [id, category])).toEqual([
      ['mode', 'mode'],
      ['model', 'model'],
    ]);
    await editor.request('session/set_mode', { sessionId, modeId: modeIds[1] });
    await expect.poll(editor.kinds.bind(editor)).toContain('config_option_update');
    expect(editor.updates).toContainEqual({ sessionUpdate: 'current_mode_update', currentModeId: modeIds[1] });
    const option = configOptions[1] as { options: { value: string }[] };
    const other = option.options.at(-1)?.value;
    const changed = await editor.request<Settings>('session/set_config_option', {
      sessionId,
      configId: 'model',
      value: other,
    });
    expect(changed.configOptions?.map(each => ('currentValue' in each ? each.currentValue : ''))).toEqual([
      modeIds[1],
      other,
    ]);
    await editor.prompt(sessionId, 'Who are you?');
    expect(editor.text('agent_message_chunk')).toBe(`I am ${String(other).replace('openai/', '')}`);
    await expect(
      editor.request('session/set_config_option', { sessionId, configId: 'model', value: 'none/such' }),
    ).rejects.toMatchObject({ code: -32_602 });
    const again = await open();
    expect(await again.request('session/resume', { sessionId, cwd, mcpServers: [] })).toMatchObject({
      modes: { currentModeId: modeIds[1] },
    });
  }, 60_000);

  it('asks a question by a form where the editor has one, else by options', async () => {
    const options = [{ label: 'Red' }, { label: 'Blue', description: 'the sea' }];
    await startModel(({ step, toolResults }) =>
      step % 2 === 0
        ? [{ toolCall: { name: 'ask_user', input: { question: 'Which colour?', options } } }]
        : `You said: ${toolResults.at(-1)?.text ?? ''}`,
    );
    const forms = await open({
      capabilities: { elicitation: { form: {} } },
      form: () => ({ action: 'accept', content: { answer: 'Blue' } }),
    });
    await forms.prompt(await forms.newSession(), 'Ask me');
    expect(forms.forms).toMatchObject([{ mode: 'form', message: 'Which colour?' }]);
    expect(forms.text('agent_message_chunk')).toContain('Blue');
    const plain = await open({ permission: () => select('choice-1') });
    await plain.prompt(await plain.newSession(), 'Ask me');
    expect(plain.permissions[0]?.options.map(({ name }) => name)).toEqual(['Red', 'Blue', 'Do not answer']);
    expect(plain.text('agent_message_chunk')).toContain('Red');
  }, 60_000);

  it('sends images, links and resources to the model', async () => {
    await startModel(() => 'Seen.');
    const editor = await open();
    const sessionId = await editor.newSession();
    await editor.request('session/prompt', {
      sessionId,
      prompt: [
        { type: 'text', text: 'Look at ' },
        { type: 'resource_link', uri: `file://${cwd}/a%20b.ts`, name: 'a b.ts' },
        { type: 'resource', resource: { uri: 'file:///x/notes.md', text: 'remember the milk' } },
        { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
      ],
    });
    const sent = JSON.stringify(model?.requests.at(-1)?.body);
    for (const part of [`Look at @${cwd}/a b.ts`, 'remember the milk', 'iVBORw0KGgo=']) expect(sent).toContain(part);
  }, 60_000);

  it('says which MCP servers of the editor it does not use, and uses them in a trusted folder', async () => {
    await startModel(() => 'Ready.');
    const offered = () => JSON.stringify(model?.requests.at(-1)?.body);
    const server = new URL('../support/mcp-server.mjs', import.meta.url).pathname;
    const servers = [{ name: 'files', command: process.execPath, args: [server], env: [] }];
    const editor = await open();
    const sessionId = await editor.newSession(cwd, servers);
    await expect
      .poll(() => editor.text('agent_message_chunk'))
      .toContain('The MCP servers of the editor are not used (files): this folder is not trusted.');
    await editor.prompt(sessionId, 'Which tools?');
    expect(offered()).not.toContain('mcp__files');
    builtCommand(undefined, { SINGLETREE_HOME: home }).singletree('config', 'trust', cwd);
    const trusted = await open();
    await trusted.prompt(await trusted.newSession(cwd, servers), 'Which tools?');
    expect(offered()).toContain('files');
  }, 60_000);

  it('steers a run by the extension, and runs commands of the session', async () => {
    const asked = gate();
    await startModel(({ step, lastUserText }) => {
      if (step > 0) return `Noted: ${lastUserText}`;
      asked.open();
      return [{ toolCall: { name: 'bash', input: { command: 'until [ -e go ]; do sleep 0.05; done' } } }];
    });
    const editor = await open({ permission: () => select('allow') });
    const sessionId = await editor.newSession();
    const running = editor.prompt(sessionId, 'Look around');
    await asked.opened;
    await editor.request('_session/steering', { sessionId, prompt: [{ type: 'text', text: 'Be quick' }] });
    writeFileSync(join(cwd, 'go'), '');
    await running;
    expect(editor.text('agent_message_chunk')).toBe('Noted: Be quick');
    await editor.prompt(sessionId, '/rename Quick look');
    expect(await editor.request('session/list', {})).toMatchObject({ sessions: [{ title: 'Quick look' }] });
  }, 60_000);

  it('survives hostile input, and answers each request with a clear error', async () => {
    const editor = await open();
    editor.write('{"jsonrpc":"2.0","id":');
    editor.write('[1,2]');
    editor.write('"words"');
    editor.write('');
    await expect.poll(() => editor.lines.lines.filter(({ id }) => id === null).length).toBe(3);
    const refused: [string, unknown, number][] = [
      ['session/fly', {}, -32_601],
      ['session/new', { cwd: 'relative', mcpServers: [] }, -32_602],
      ['session/new', { cwd: '/no/such/folder', mcpServers: [] }, -32_602],
      ['session/new', { mcpServers: [] }, -32_602],
      ['session/load', { sessionId: 'unknown', cwd, mcpServers: [] }, -32_002],
      ['session/resume', { sessionId: '../../etc/passwd', cwd, mcpServers: [] }, -32_002],
      ['session/prompt', { sessionId: 'unknown', prompt: [{ type: 'text', text: 'hi' }] }, -32_002],
      ['session/set_mode', { sessionId: 'unknown', modeId: 'plan' }, -32_002],
      ['session/list', { cursor: 'not ours' }, -32_602],
    ];
    for (const [method, params, code] of refused) {
      const answer = await editor.request(method, params).catch((error: unknown) => error);
      expect([method, answer]).toMatchObject([method, { code }]);
    }
    const sessionId = await editor.newSession();
    await expect(editor.request('session/prompt', { sessionId, prompt: [] })).rejects.toMatchObject({ code: -32_602 });
    expect(await editor.request('session/close', { sessionId })).toEqual({});
    expect(await editor.close()).toBe(0);
  }, 60_000);

  it('takes a prompt of a megabyte', async () => {
    await startModel(() => 'Read.');
    const editor = await open();
    const sessionId = await editor.newSession();
    expect(await editor.prompt(sessionId, 'x'.repeat(1_000_000))).toEqual({ stopReason: 'end_turn' });
  }, 60_000);

  it('asks for a key when the coding agent has no model, and refuses an unknown agent with exit code 2', async () => {
    const editor = await open({ args: ['coder'] });
    expect(editor.initialized.authMethods).toMatchObject([{ id: 'api-key' }]);
    await expect(editor.newSession()).rejects.toMatchObject({ code: -32_000 });
    await expect(editor.request('authenticate', { methodId: 'api-key' })).rejects.toMatchObject({ code: -32_000 });
    const { singletree } = builtCommand();
    expect(singletree('acp', 'nobody')).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('The agent "nobody" cannot be used here.') as string,
    });
  }, 60_000);
});
