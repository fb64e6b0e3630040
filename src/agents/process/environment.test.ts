import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lawRuns } from '../../../test/support/run-size.ts';
import { cliAdapters } from '../cli/adapters/cli-adapters.ts';
import { createModelRegistry } from '../model/registry/registry.ts';
import { environmentFor, type EnvironmentPolicy, listEnvironment, policyFor } from './environment.ts';

const person: EnvironmentPolicy = { base: 'person' };
const passes = (name: string, value = 'x', policy = person) =>
  listEnvironment({ [name]: value }, { policy }).passed.length === 1;

describe('the environment of a person’s programs', () => {
  it.each(['VIRTUAL_ENV', 'JAVA_HOME', 'GOPATH', 'NVM_DIR', 'AWS_REGION', 'PATH', 'OLDPWD', 'GIT_AUTHOR_NAME'])(
    'has %s',
    name => expect(passes(name)).toBe(true),
  );

  it.each(['TOKENIZERS_PARALLELISM', 'KEYBOARD', 'PATTERN', 'COMPASS', 'MONKEY', 'SSH_AUTH_SOCK', 'GIT_CONFIG_KEY_0'])(
    'has %s, which only looks secret',
    name => expect(passes(name)).toBe(true),
  );

  it.each([
    ['a secret name', ['GITHUB_TOKEN', 'AWS_ACCESS_KEY_ID', 'PGPASSWORD', 'DB_PASS', 'SENTRY_DSN', 'GH_PAT', 'apiKey']],
    ['a secret name in the middle', ['MY_SECRET_FILE', 'HTTP_COOKIE', 'BASIC_AUTH', 'API_KEY_2', 'APP_CREDENTIALS']],
    ['an agent', ['CLAUDE_CONFIG_DIR', 'CLAUDECODE', 'CODEX_HOME', 'OPENAI_BASE_URL', 'GEMINI_MODEL']],
    ['a loader', ['LD_PRELOAD', 'DYLD_INSERT_LIBRARIES', 'NODE_OPTIONS', 'BASH_ENV', 'ENV', 'PYTHONSTARTUP']],
    ['our or npm’s own processes', ['npm_config_registry', 'NPM_CONFIG_PREFIX', 'SINGLETREE_HOME', 'SINGLETREE_RUN']],
  ])('lacks variables of %s', (_, names) => {
    for (const name of names) expect([name, passes(name)]).toEqual([name, false]);
  });

  it.each([
    'postgres://app:hunter2@localhost/app',
    '-----BEGIN PRIVATE KEY-----\nMIIE',
    'sk-ant-api03-abcdefghijklmnop',
    'ghp_abcdefghijklmnopqrstuvwxyz0123456789',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
  ])('lacks a variable with the value %j', value => expect(passes('PLAIN', value)).toBe(false));

  it('lacks a value that has the value of a secret variable, also encoded', () => {
    const secret = 'a long/secret value';
    const own = { MY_TOKEN: secret, COPY: Buffer.from(secret).toString('base64'), URL: encodeURIComponent(secret) };
    expect(listEnvironment({ ...own, PATH: secret, PLAIN: 'x' }, { policy: person }).passed).toEqual(['PATH', 'PLAIN']);
  });

  it('has the agent’s own variables, and no other agent’s keys', () => {
    const variables = Object.values(cliAdapters).flatMap(({ credentials }) => credentials.variables);
    const keys = createModelRegistry({ env: {} })
      .providers()
      .flatMap(({ envVar }) => envVar ?? []);
    const own = Object.fromEntries([...variables, ...keys].map(name => [name, 'x']));
    expect(environmentFor(own, { policy: person })).toEqual({});
    const claude = environmentFor(
      { ...own, BASH_ENV: './x', BASH_DEFAULT_TIMEOUT_MS: '1' },
      { policy: person, needed: cliAdapters['claude']?.environment ?? [] },
    );
    expect(Object.keys(claude)).toEqual(expect.arrayContaining(['ANTHROPIC_API_KEY', 'BASH_DEFAULT_TIMEOUT_MS']));
    expect(Object.keys(claude)).not.toEqual(expect.arrayContaining(['OPENAI_API_KEY', 'BASH_ENV']));
  });

  it('is changed by what a person passes, drops and sets', () => {
    const own = { GITHUB_TOKEN: 't', AWS_SECRET_ACCESS_KEY: 'k', GOPATH: '/go', PATH: '/bin' };
    const policy = { ...person, pass: ['GITHUB_TOKEN', 'AWS_*'], drop: ['GOPATH'], set: { CI: '1' } };
    expect(environmentFor(own, { policy })).toEqual({
      GITHUB_TOKEN: 't',
      AWS_SECRET_ACCESS_KEY: 'k',
      PATH: '/bin',
      CI: '1',
    });
    expect(environmentFor(own, { policy: { ...policy, base: 'short' }, set: { CI: '2' } })).toMatchObject({ CI: '2' });
  });

  it('is the short list for an imported thread, and without a policy', () => {
    const own = { GOPATH: '/go', PATH: '/bin', GIT_TOKEN: 't' };
    const policy = policyFor(person, { isImported: true });
    expect(environmentFor(own, { policy })).toEqual({ PATH: '/bin' });
    expect(environmentFor(own)).toEqual({ PATH: '/bin' });
    expect(environmentFor(own, { policy: policyFor(person, {}) })).toEqual({ GOPATH: '/go', PATH: '/bin' });
  });

  it('never has a secret that was not named', () => {
    const word = fc.constantFrom('APP', 'MY', 'GIT', 'XDG', 'LC', 'DB', 'FILE', 'URL', 'x', 'Id');
    const secret = fc.constantFrom('KEY', 'SECRET', 'TOKEN', 'PASSWORD', 'PASSWD', 'CREDENTIAL', 'AUTH', 'COOKIE');
    const more = fc.constantFrom('DSN', 'PAT', 'CREDENTIALS', 'token', 'Password');
    const secretName = fc
      .tuple(fc.array(word, { maxLength: 3 }), fc.oneof(secret, more), fc.array(word, { maxLength: 2 }))
      .map(([before, middle, after]) => [...before, middle, ...after].join('_'));
    const secretValue = fc
      .string({ minLength: 1, unit: fc.constantFrom('a', 'Z', '7', '-') })
      .chain(text =>
        fc.constantFrom(
          `https://me:${text}@example.com/x`,
          `x -----BEGIN RSA PRIVATE KEY-----${text}`,
          `github_pat_${text.padEnd(16, 'b')}`,
        ),
      );
    const variable = fc.oneof(
      fc.tuple(secretName, fc.string()),
      fc.tuple(
        fc.array(word, { minLength: 1, maxLength: 3 }).map(words => words.join('_')),
        secretValue,
      ),
      fc.tuple(
        fc.constantFrom('LD_X', 'DYLD_X', 'NODE_OPTIONS', 'npm_x', 'SINGLETREE_X', 'OPENAI_X', 'CODEX_X'),
        fc.string(),
      ),
    );
    const law = fc.property(
      fc.array(variable),
      fc.constantFrom('short' as const, 'person' as const),
      fc.array(fc.nat()),
      (variables, base, picked) => {
        const own = Object.fromEntries(variables);
        const names = Object.keys(own);
        const pass = picked.flatMap(index => names[index % (names.length || 1)] ?? []);
        const { passed, withheld } = listEnvironment(own, { policy: { base, pass } });
        expect(new Set(passed)).toEqual(new Set(pass));
        expect([...passed, ...withheld].toSorted()).toEqual(names.toSorted());
      },
    );
    fc.assert(law, { numRuns: lawRuns(500) });
  });
});
