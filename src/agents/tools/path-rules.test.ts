import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../events/vocabulary.ts';
import type { RelayAnswer } from '../contract/host.ts';
import { loopAgent } from '../loop/loop-agent.ts';
import { scriptedModel } from '../model/scripted/scripted-model.ts';
import type { PermissionRule, Policy } from '../contract/permissions.ts';
import { workspace } from '../workspace/workspace-folder.ts';
import { workspaceTools } from './workspace-tools.ts';
import { runParams } from '../../../test/support/run-params.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-path-rules-')));
const root = join(base, 'root');
const given = join(base, 'given');
const hasProc = existsSync('/proc/self/root');

afterAll(() => rmSync(base, { recursive: true, force: true }));

beforeEach(() => {
  rmSync(base, { recursive: true, force: true });
  for (const folder of ['.git', 'sub/deep', 'keys']) mkdirSync(join(root, folder), { recursive: true });
  symlinkSync(root, given);
  symlinkSync('.', join(root, 'self'));
  symlinkSync('../.env', join(root, 'sub/env'));
  symlinkSync('../.git', join(root, 'sub/git'));
  symlinkSync('../keys', join(root, 'sub/keys'));
  symlinkSync('sub/plain.txt', join(root, 'plain'));
  writeFileSync(join(root, '.env'), 'TOKEN=1\n');
  writeFileSync(join(root, 'keys/key.pem'), 'TOKEN=2\n');
  writeFileSync(join(root, '.git/config'), 'x\n');
  writeFileSync(join(root, 'sub/plain.txt'), 'TOKEN=3\n');
});

interface Scene {
  readonly rules: PermissionRule[];
  readonly fallback?: Policy;
  /** Answers relays; nobody can be asked when absent. */
  readonly answer?: () => RelayAnswer['outcome'];
  readonly onEvent?: (event: AgentEvent) => void;
}

/** Returns the result of one call under rules. */
async function outputOf([name, input]: [name: string, input: object], scene: Scene): Promise<Record<string, unknown>> {
  const { rules, fallback = 'ask', answer, onEvent } = scene;
  const agent = loopAgent({
    model: scriptedModel([[{ toolCall: { name, input } }], 'Done.']),
    tools: workspaceTools(workspace(given)),
    permissions: { default: fallback, rules },
  });
  const answers = { wait: async (relayId: string) => ({ relayId, outcome: answer?.() }) as RelayAnswer };
  const params = runParams({ host: { ...(answer && { answers }) } });
  let output: Record<string, unknown> = {};
  for await (const event of agent.invoke(params)) {
    onEvent?.(event);
    if (event.type === 'tool_result') output = event.output as Record<string, unknown>;
  }
  return output;
}

const patchOf = (...sections: string[]) => ({
  patch: ['*** Begin Patch', ...sections, '*** End Patch'].join('\n'),
});
const added = (path: string) => patchOf(`*** Add File: ${path}`, '+x');
const denied = expect.objectContaining({ status: 'denied' });
const noEnv: PermissionRule = { input: { path: '.env' }, policy: 'deny' };
const noGit: PermissionRule = { input: { path: '.git/*' }, policy: 'deny' };
const subOnly: PermissionRule = { input: { path: 'sub/*' }, policy: 'allow' };

describe('a rule that guards a path', () => {
  it.each([
    '.env',
    './.env',
    '.env/',
    'sub/../.env',
    'self/.env',
    'self/self/.env',
    'sub/env',
    join(root, '.env'),
    join(given, '.env'),
    join(root, 'self/.env'),
    ...(hasProc ? [`/proc/self/root${root}/.env`] : []),
  ])('denies %s, which leads to it', async path => {
    for (const call of [
      ['read', { path }],
      ['edit', { path, old_string: '1', new_string: '2' }],
      ['write', { path, content: '' }],
      ['grep', { pattern: 'T', path }],
      ['patch', patchOf(`*** Update File: ${path}`, '@@', '-TOKEN=1', '+TOKEN=2')],
      ['patch', patchOf(`*** Update File: ${path}`, '*** Move to: moved')],
    ] as [string, object][])
      expect(await outputOf(call, { rules: [noEnv], fallback: 'allow' })).toEqual(denied);
    expect(readFileSync(join(root, '.env'), 'utf8')).toBe('TOKEN=1\n');
  });

  it.each([
    `${root}/.git/hooks/pre-commit`,
    'self/.git/new/deep/file',
    'sub/git/config',
    'sub/git/new',
    './.git//config',
  ])('denies to write %s, which may not exist yet', async path => {
    for (const call of [
      ['write', { path, content: 'x' }],
      ['patch', added(path)],
      ['patch', patchOf('*** Update File: sub/plain.txt', `*** Move to: ${path}`)],
    ] as [string, object][])
      expect(await outputOf(call, { rules: [noGit], fallback: 'allow' })).toEqual(denied);
    expect(existsSync(join(root, '.git/hooks'))).toBe(false);
  });

  it.each(['./.env', `${root}/.env`, `${given}/.env`, '.env/'])('may be written as %s', async path => {
    const rules: PermissionRule[] = [{ input: { path }, policy: 'deny' }];
    expect(await outputOf(['read', { path: '.env' }], { rules, fallback: 'allow' })).toEqual(denied);
  });

  it('denies a patch when one of its paths matches', async () => {
    const patch = patchOf('*** Add File: sub/new', '+x', '*** Delete File: self/.env');
    expect(await outputOf(['patch', patch], { rules: [noEnv], fallback: 'allow' })).toEqual(denied);
    expect(existsSync(join(root, 'sub/new'))).toBe(false);
  });

  it('allows removing a link to the path, which does not change its target', async () => {
    const patch = patchOf('*** Delete File: sub/env');
    expect(await outputOf(['patch', patch], { rules: [noEnv], fallback: 'allow' })).toMatchObject({
      context: 'Deleted sub/env',
    });
    expect(existsSync(join(root, '.env'))).toBe(true);
  });

  it.each(['keys', 'self/keys/', `${root}/keys`, 'sub/keys'])('denies a command in %s', async workdir => {
    const rules: PermissionRule[] = [{ input: { workdir: 'keys' }, policy: 'deny' }];
    expect(await outputOf(['bash', { command: 'ls', workdir }], { rules, fallback: 'allow' })).toEqual(denied);
  });

  it.each(['deny', 'ask'] as const)('hides what it guards from lists and searches (%s)', async policy => {
    const rules: PermissionRule[] = [
      { input: { path: '.env' }, policy },
      { input: { path: 'keys/*' }, policy },
    ];
    const scene = { rules, fallback: 'allow' as const };
    expect(await outputOf(['grep', { pattern: 'TOKEN' }], scene)).toEqual({
      context: 'sub/plain.txt\n1: TOKEN=3\n[Skipped: 2 files that the permission rules guard.]',
      result: { matches: 1, files: 1, isComplete: false, skipped: { guarded: 2 } },
    });
    expect(await outputOf(['grep', { pattern: 'TOKEN', path: 'sub/keys' }], scene)).toMatchObject({
      context: 'Nothing matches TOKEN.\n[Skipped: 1 file that the permission rules guard.]',
    });
    expect(await outputOf(['glob', { pattern: '*', path: 'self' }], scene)).toMatchObject({
      result: { files: ['self/sub/plain.txt'], isComplete: false, skipped: { guarded: 2 } },
    });
    expect(await outputOf(['list', { path: 'keys' }], scene)).toMatchObject({
      result: { entries: 0, isComplete: false, skipped: { guarded: 1 } },
    });
  });

  it('does not reveal whether a guarded file matches a search', async () => {
    const scene = { rules: [noEnv], fallback: 'allow' as const };
    const [found, missed] = [{ pattern: 'TOKEN=1' }, { pattern: 'TOKEN=9' }];
    const { result } = await outputOf(['grep', found], scene);
    expect(result).toEqual((await outputOf(['grep', missed], scene))['result']);
  });
});

describe('a rule that allows paths', () => {
  it.each<[string, boolean]>([
    ['sub/plain.txt', true],
    ['./sub/plain.txt', true],
    ['plain', true],
    [join(root, 'sub/plain.txt'), true],
    ['self/sub/plain.txt', true],
    ['sub/env', false],
    ['sub/keys/key.pem', false],
    ['sub/../.env', false],
    ['.env', false],
    ['sub/none/../../.env', false],
  ])('decides about %s by where it leads', async (path, isAllowed) => {
    const output = await outputOf(['read', { path }], { rules: [subOnly] });
    if (isAllowed) expect(output).toMatchObject({ context: '1\tTOKEN=3' });
    else expect(output).toEqual(denied);
  });

  it('allows a new file below a folder, and none through a link out of it', async () => {
    const scene = { rules: [subOnly] };
    expect(await outputOf(['write', { path: 'sub/a/b/new', content: '' }], scene)).toMatchObject({
      result: { created: true },
    });
    expect(await outputOf(['write', { path: 'sub/keys/new', content: '' }], scene)).toEqual(denied);
    expect(existsSync(join(root, 'keys/new'))).toBe(false);
  });

  it('allows a patch only when it covers all of its paths', async () => {
    const scene = { rules: [subOnly] };
    expect(await outputOf(['patch', added('sub/new')], scene)).toMatchObject({ context: 'Added sub/new' });
    for (const patch of [
      patchOf('*** Add File: sub/other', '+x', '*** Add File: other', '+x'),
      patchOf('*** Update File: sub/plain.txt', '*** Move to: plain.txt'),
      patchOf('*** Update File: sub/env', '*** Move to: sub/moved'),
      { patch: 'nothing that can be read' },
    ])
      expect(await outputOf(['patch', patch], scene)).toEqual(denied);
  });

  it('never allows a path that leads outside or cannot be resolved', async () => {
    symlinkSync('loop', join(root, 'loop'));
    symlinkSync('/etc', join(root, 'etc'));
    const rules: PermissionRule[] = [{ input: { path: '*' }, policy: 'allow' }];
    for (const path of ['loop', 'etc/passwd', '/etc/passwd', '../x', 'sub/plain.txt/x', 'a\0b'])
      expect(await outputOf(['read', { path }], { rules })).toEqual(denied);
  });
});

describe('a link that changes after the decision', () => {
  const relink = () => {
    rmSync(join(root, 'plain'));
    symlinkSync('.env', join(root, 'plain'));
  };

  it('is resolved again after the answer', async () => {
    const answer = () => {
      relink();
      return 'approve' as const;
    };
    expect(await outputOf(['read', { path: 'plain' }], { rules: [noEnv], answer })).toEqual(denied);
  });

  it.each<[string, object]>([
    ['read', { path: 'plain' }],
    ['grep', { path: 'plain', pattern: 'TOKEN' }],
    ['edit', { path: 'plain', old_string: 'TOKEN', new_string: 'X' }],
    ['write', { path: 'plain', content: '' }],
    ['patch', patchOf('*** Update File: plain', '@@', '-TOKEN=1', '+TOKEN=2')],
  ])('is refused by %s, which opens only what was permitted', async (name, input) => {
    const onEvent = ({ type }: AgentEvent) => type === 'tool_start' && relink();
    const output = await outputOf([name, input], { rules: [noEnv], fallback: 'allow', onEvent });
    expect(output).toMatchObject({ error: expect.stringContaining('does not lead where it led') });
    expect(readFileSync(join(root, '.env'), 'utf8')).toBe('TOKEN=1\n');
  });
});
