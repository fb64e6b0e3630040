import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { decide } from '../../permissions/decide.ts';
import type { PermissionRule, Policy } from '../../contract/permissions.ts';
import { workspace } from '../../workspace/workspace-folder.ts';
import { cliToolRequest } from './cli-request.ts';
import { LiveDecisions } from './live-decisions.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-path-requests-')));
const root = join(base, 'root');
for (const folder of ['src/deep', 'keys']) mkdirSync(join(root, folder), { recursive: true });
for (const file of ['secret.txt', 'src/a.ts', 'keys/key.pem']) writeFileSync(join(root, file), 'x\n');
writeFileSync(join(base, 'outside.txt'), 'x\n');
symlinkSync('../secret.txt', join(root, 'src/link'));
symlinkSync('../..', join(root, 'src/up'));
symlinkSync('.', join(root, 'self'));
symlinkSync('loop', join(root, 'src/loop'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

type Asked = Parameters<typeof cliToolRequest>[0];

async function decided(agentId: string, asked: Asked, rules: PermissionRule[], fallback: Policy = 'ask') {
  const request = await cliToolRequest(asked, asked.input, { agentId, folder: workspace(root, { outside: 'ask' }) });
  return decide({ rules: { default: fallback, rules } }, request).policy;
}

const noSecret: PermissionRule = { input: { path: 'secret.txt' }, policy: 'deny' };
const srcOnly: PermissionRule = { input: { path: 'src/*' }, policy: 'allow' };
const secrets = [
  'secret.txt',
  './secret.txt',
  `${root}/secret.txt`,
  'src/link',
  'self/self/secret.txt',
  'src/../secret.txt',
];
const patched = (path: string) => `*** Begin Patch\n*** Update File: ${path}\n@@\n-x\n+y\n*** End Patch`;

/** The ways in which programs state the path of a call, most of them without locations. */
const shapes: Readonly<Record<string, (path: string) => Omit<Asked, 'tool'>>> = {
  path: path => ({ input: { path, content: 'x' } }),
  file_path: path => ({ input: { file_path: path, old_string: 'a', new_string: 'b/c' } }),
  filePath: path => ({ input: { filePath: path } }),
  absolute_path: path => ({ input: { absolute_path: path } }),
  target: path => ({ input: { target: path } }),
  'a list of files': path => ({ input: { files: [{ path: 'src/a.ts' }, { path, start_line: 1 }] } }),
  'a list of paths': path => ({ input: { paths: ['src/a.ts', path] } }),
  changes: path => ({ input: { changes: [{ kind: 'update', path: 'src/a.ts', movePath: path, diff: '' }] } }),
  'changes by path': path => ({ input: { changes: { [path]: { type: 'update', diff: '' } } } }),
  'a patch': path => ({ input: { input: patched(path) } }),
  locations: path => ({ input: {}, paths: [path] }),
  'a location that is not the argument': path => ({ input: { path: 'src/a.ts' }, paths: [path] }),
};

const tools = fc.constantFrom(
  { agentId: 'goose', tool: 'write' },
  { agentId: 'cline', tool: 'editor' },
  { agentId: 'acp', tool: 'edit', category: 'edit' },
  { agentId: 'acp', tool: 'other' },
  { agentId: 'claude', tool: 'Write' },
  { agentId: 'opencode', tool: 'apply_patch' },
  { agentId: 'pi', tool: 'write' },
);

describe('a request of an external agent under rules over paths', () => {
  it('is denied wherever it states a guarded path, and however the path is written', async () => {
    await fc.assert(
      fc.asyncProperty(
        tools,
        fc.constantFrom(...Object.keys(shapes)),
        fc.constantFrom(...secrets),
        async ({ agentId, ...call }, shape, path) => {
          const asked = { ...call, ...shapes[shape]?.(path) } as Asked;
          expect(await decided(agentId, asked, [noSecret], 'allow')).toBe('deny');
          expect(await decided(agentId, asked, [{ ...noSecret, policy: 'ask' }], 'allow')).toBe('ask');
        },
      ),
      { numRuns: 150 },
    );
  });

  it('is allowed by a rule for a folder only when every path leads into it', async () => {
    const inside = ['src/a.ts', 'src/new/file', `${root}/src/a.ts`, 'self/src/deep/x'];
    const outside = [...secrets, 'src/up/outside.txt', `${base}/outside.txt`, 'keys/key.pem', 'src/loop'];
    await fc.assert(
      fc.asyncProperty(
        tools,
        fc.constantFrom(...Object.keys(shapes)),
        fc.oneof(
          fc.constantFrom(...inside).map(path => ({ path, policy: 'allow' })),
          fc.constantFrom(...outside).map(path => ({ path, policy: 'ask' })),
        ),
        async ({ agentId, ...call }, shape, { path, policy }) => {
          const asked = { ...call, ...shapes[shape]?.(path) } as Asked;
          expect(await decided(agentId, asked, [srcOnly])).toBe(policy);
        },
      ),
      { numRuns: 150 },
    );
  });

  it.each<[string, Asked['input']]>([
    ['no path', { content: 'x' }],
    ['arguments that are not known', { where: 'src/a.ts' }],
    ['a further argument that is not known', { path: 'src/a.ts', backup: 'other' }],
    ['a path that a shell or a program expands', { path: '~/secret.txt' }],
    ['a variable in a path', { path: '$PWD/secret.txt' }],
    ['an address of a file', { uri: 'file:///secret.txt' }],
    ['a path that cannot be followed', { path: 'src/loop' }],
    ['a patch that is not understood', { path: 'src/a.ts', patch: '--- secret.txt' }],
    ['a pattern that leaves its folder', { path: 'src', pattern: '../secret*' }],
    ['a folder with a guarded file', { path: '.' }],
  ])('is asked about when it has %s', async (_, input) => {
    for (const policy of ['deny', 'ask'] as const)
      for (const [agentId, tool] of [
        ['acp', 'edit'],
        ['goose', 'write'],
        ['acp', 'other'],
      ] as const)
        expect(await decided(agentId, { tool, input }, [{ ...noSecret, policy }], 'allow')).toBe('ask');
  });

  it('is decided as before by rules without a path', async () => {
    const rules: PermissionRule[] = [{ category: 'edit', policy: 'allow' }];
    for (const input of [{ content: 'x' }, { where: '~/x' }, { path: 'secret.txt' }])
      expect(await decided('acp', { tool: 'edit', category: 'edit', input }, rules)).toBe('allow');
    expect(
      await decided(
        'acp',
        { tool: 'other', input: {} },
        [{ tool: 'write', input: { path: 'a' }, policy: 'deny' }],
        'allow',
      ),
    ).toBe('allow');
  });

  it('is decided as before when it runs a command, fetches an address, or starts a subagent', async () => {
    for (const [agentId, asked] of [
      ['goose', { tool: 'shell', input: { command: 'npm test' }, command: 'npm test' }],
      ['acp', { tool: 'fetch', category: 'network', input: { url: 'https://example.org' } }],
      ['claude', { tool: 'Task', input: { prompt: 'go', subagent_type: 'x' } }],
    ] as const)
      expect(await decided(agentId, asked, [noSecret], 'allow')).toBe('allow');
  });

  it('searches what is below a folder: asked about when a guarded path may be there', async () => {
    const search = (input: Asked['input']) => decided('claude', { tool: 'Grep', input }, [noSecret], 'allow');
    expect(await search({ pattern: 'x' })).toBe('ask');
    expect(await search({ pattern: 'x', path: 'src' })).toBe('allow');
    expect(await search({ pattern: 'x', path: 'src/up' })).toBe('ask');
    const noKeys: PermissionRule = { input: { path: 'keys/*.pem' }, policy: 'deny' };
    expect(await decided('claude', { tool: 'Grep', input: { pattern: 'x', path: 'keys' } }, [noKeys], 'allow')).toBe(
      'ask',
    );
  });

  it('is asked about also when the program would run it unasked', async () => {
    const checked = (policy: Policy) => {
      const decisions = new LiveDecisions({
        agentId: 'claude',
        cwd: root,
        rules: [{ default: 'ask', rules: [{ ...noSecret, policy }] }],
        answers: undefined,
        signal: new AbortController().signal,
        put: async () => {},
        decided: [],
        unused: [],
      });
      const request = { kind: 'check', id: 'c', runId: 'r', tool: 'Grep', input: { pattern: 'x' } } as const;
      return decisions.decide(request, new AbortController().signal);
    };
    for (const policy of ['deny', 'ask'] as const) expect((await checked(policy)).answer.outcome).toBe('ask');
  });
});
