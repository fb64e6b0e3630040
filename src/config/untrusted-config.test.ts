import * as fc from 'fast-check';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { lawRuns } from '../../test/support/run-size.ts';
import { decide } from '../agents/permissions/decide.ts';
import type { Grant, PermissionRule, PermissionRuleSet, ToolRequest } from '../agents/contract/permissions.ts';
import { workspacePermissions } from '../agents/tools/workspace-tools.ts';
import { type ConfigData, configJsonSchema } from './config-schema.ts';
import { loadConfig } from './load-config.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-untrusted-')));
const [home, project] = [join(root, 'home'), join(root, 'project')];
for (const folder of [home, project]) mkdirSync(folder);
afterAll(() => rmSync(root, { recursive: true }));

/** Loads what applies in a project folder that nobody trusted. */
function load(own: ConfigData, folder: ConfigData) {
  writeFileSync(join(home, 'singletree.config.json'), JSON.stringify(own));
  writeFileSync(join(project, 'singletree.config.json'), JSON.stringify(folder));
  return loadConfig({ cwd: project, home, env: {} });
}

const policy = fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const);
const selectors = fc.oneof(
  fc.constantFrom('bash', 'read', 'edit', '*', 'b*').map(tool => ({ tool })),
  fc.constantFrom('read', 'execute').map(category => ({ category })),
  fc.constantFrom('ls *', 'ls', 'git *', 'rm *', 'foo *').map(command => ({ command })),
  fc.constantFrom('.env', 'src/*', '*').map(path => ({ input: { path } })),
  fc.constantFrom('.env', '*').map(path => ({ tool: 'read', input: { path } })),
);
const rule: fc.Arbitrary<PermissionRule> = fc.tuple(selectors, policy).map(([selected, wanted]) => ({
  ...selected,
  policy: wanted,
}));
const ruleSet: fc.Arbitrary<PermissionRuleSet> = fc
  .tuple(fc.option(policy, { nil: undefined }), fc.array(rule, { maxLength: 5 }))
  .map(([fallback, rules]) => ({ ...(fallback && { default: fallback }), rules }));

const bash = (command: string): ToolRequest => ({ tool: 'bash', category: 'execute', input: { command }, shell: true });
const read = (path: string): ToolRequest => ({
  tool: 'read',
  category: 'read',
  input: { path },
  paths: { path: [{ written: path, resolved: [path, `/project/${path}`] }] },
});
const calls: readonly ToolRequest[] = [
  ...['ls', 'ls src', 'git push', 'rm x', 'foo rm x', 'ls; rm x', 'ls "', 'npm test'].map(bash),
  ...['.env', 'src/a.ts', 'README.md'].map(read),
  { tool: 'edit', category: 'edit', input: { path: 'src/a.ts' } },
  { tool: 'mcp__x__y', input: {} },
];
const grants: readonly Grant[] = [
  { kind: 'category', category: 'execute' },
  { kind: 'tool', tool: 'edit' },
];

describe('the configuration of a folder that is not trusted', () => {
  it('never makes a decision less strict than it is without the folder', async () => {
    const strictness = ['allow', 'ask', 'deny'];
    const builtIn = (rules: PermissionRuleSet | undefined): PermissionRuleSet => ({
      default: rules?.default ?? 'ask',
      rules: [...(rules?.rules ?? []), ...workspacePermissions.rules],
    });
    const law = fc.asyncProperty(
      fc.option(ruleSet, { nil: undefined }),
      ruleSet,
      fc.subarray([...grants]),
      async (own, folder, granted) => {
        const base = own === undefined ? {} : { permissions: own };
        const alone = (await load(base, {})).config.permissions;
        const merged = (await load(base, { permissions: folder })).config.permissions;
        for (const call of calls)
          for (const complete of [(rules: PermissionRuleSet | undefined) => rules ?? { rules: [] }, builtIn]) {
            const before = decide({ rules: complete(alone), grants: granted }, call).policy;
            const after = decide({ rules: complete(merged), grants: granted }, call).policy;
            expect(strictness.indexOf(after), JSON.stringify({ call, before, after })).toBeGreaterThanOrEqual(
              strictness.indexOf(before),
            );
          }
      },
    );
    await fc.assert(law, { numRuns: lawRuns(400) });
  });

  it('does not lift a default that denies by asking, and keeps what denies', async () => {
    const folder: ConfigData['permissions'] = {
      rules: [
        { tool: '*', policy: 'ask' },
        { command: 'rm *', policy: 'deny' },
      ],
    };
    const { config, untrusted } = await load({ permissions: { default: 'deny', rules: [] } }, { permissions: folder });
    expect(config.permissions).toEqual({ default: 'deny', rules: [{ command: 'rm *', policy: 'deny' }] });
    expect(untrusted?.brings).toEqual(['asks about calls that you deny by default (1 rule)']);
    expect((await load({}, { permissions: folder })).config.permissions).toEqual(folder);
  });
});

/** Every field of the schema with the part of a sample that applies without trust; `nothing` waits for trust. */
const nothing = undefined;
const fields: Record<string, { readonly sample: unknown; readonly applies: unknown }> = {
  $schema: { sample: './x.json', applies: nothing },
  defaultAgent: { sample: 'codex', applies: nothing },
  defaultModel: { sample: 'a/b', applies: nothing },
  'models.offered': { sample: ['a/b'], applies: nothing },
  'models.providers': { sample: [{ id: 'p', baseURL: 'https://example.com/v1' }], applies: nothing },
  'permissions.default': { sample: 'allow', applies: nothing },
  'permissions.rules': {
    sample: [
      { tool: 'a', policy: 'allow' },
      { tool: 'b', policy: 'ask' },
      { tool: 'c', policy: 'deny' },
    ],
    applies: [
      { tool: 'b', policy: 'ask' },
      { tool: 'c', policy: 'deny' },
    ],
  },
  'limits.run': { sample: { cost: 1 }, applies: nothing },
  'limits.thread': { sample: { cost: 1 }, applies: nothing },
  'limits.day': { sample: { cost: 1 }, applies: nothing },
  mcpServers: { sample: { x: { command: 'sh' } }, applies: nothing },
  skills: { sample: ['./skills'], applies: nothing },
  subagents: { sample: { x: { description: 'd', instructions: 'i' } }, applies: nothing },
  store: { sample: 'file:x', applies: nothing },
  live: { sample: 'redis://x', applies: nothing },
  'server.host': { sample: '0.0.0.0', applies: nothing },
  'server.port': { sample: 1, applies: nothing },
  'server.allowHosts': { sample: ['x'], applies: nothing },
  'server.roots': { sample: ['/'], applies: nothing },
  'server.cors': { sample: ['https://x'], applies: nothing },
  'server.tokens': { sample: [{ token: 't' }], applies: nothing },
  'server.webhooks': { sample: [{ name: 'w', url: 'https://x', secret: 's' }], applies: nothing },
  'page.title': { sample: 'T', applies: 'T' },
  'worktree.setup': { sample: 'npm ci', applies: nothing },
  'env.pass': { sample: ['GITHUB_TOKEN'], applies: nothing },
  'env.drop': { sample: ['PATH'], applies: nothing },
  'env.set': { sample: { LD_PRELOAD: './x.so' }, applies: nothing },
  'chat.density': { sample: 'quiet', applies: nothing },
  titles: { sample: 'message', applies: nothing },
  keys: { sample: { mode: 'f4' }, applies: nothing },
};

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** The paths of the fields of a schema, those of groups of fields one by one. */
function pathsIn({ properties = {} }: Schema): string[] {
  return Object.entries(properties).flatMap(([name, { properties: inner = {} }]) =>
    Object.keys(inner).length === 0 ? [name] : Object.keys(inner).map(field => `${name}.${field}`),
  );
}

describe('each field of the configuration', () => {
  it('has a rule for folders that are not trusted', () => {
    expect(Object.keys(fields).toSorted()).toEqual(pathsIn(configJsonSchema()).toSorted());
  });

  it.each(Object.entries(fields))('%s applies by its rule, and what waits for trust is named', async (path, each) => {
    const [name = '', inner] = path.split('.');
    const group = name === 'permissions' && inner !== 'rules' ? { rules: [] } : {};
    const config = { [name]: inner === undefined ? each.sample : { ...group, [inner]: each.sample } } as ConfigData;
    const loaded = await load({}, config);
    const value = loaded.values.filter(value => `${value.path}.`.startsWith(`${path}.`)).map(({ value }) => value);
    expect(value).toEqual(each.applies === nothing ? [] : [each.applies].flat());
    const isWhole = JSON.stringify(each.applies) === JSON.stringify(each.sample);
    expect(loaded.untrusted?.brings ?? []).toHaveLength(isWhole || path === '$schema' ? 0 : 1);
  });
});
