import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lawRuns } from './support/run-size.ts';
import { decide, type PermissionRuleSet } from '../src/agents/index.ts';
import { shellLines } from './support/shell-lines.ts';
import { createShellSandbox, type LineRun, programPath, type ShellSandbox } from './support/shell-sandbox.ts';

/** How many lines are made, of which those that are allowed run: a few by default, many on demand. */
const wanted = Number(process.env['SINGLETREE_SHELL_FUZZ'] ?? 0);
const made = wanted || lawRuns(3000);
const most = wanted || lawRuns(240);
const seed = Number(process.env['SINGLETREE_SHELL_FUZZ_SEED'] ?? 1);

const allow: PermissionRuleSet = {
  rules: (
    "ls *|cat *|echo *|printf *|test *|'[' *|git status|git log *|npm test *|foo *|env *|timeout *|setarch *|xargs *|" +
    'read *|export *|declare *|let *|unset *|eval *|exec *|command *|source *|mapfile *|compgen *|find *'
  )
    .split('|')
    .map(command => ({ command, policy: 'allow' })),
};

const guard: PermissionRuleSet = {
  default: 'allow',
  rules: [
    { command: 'touch *', policy: 'deny' },
    { command: 'curl *', policy: 'ask' },
    { category: 'execute', policy: 'allow' },
  ],
};

const policyOf = (rules: PermissionRuleSet, command: string | readonly string[]) =>
  decide({ rules }, { tool: 'bash', category: 'execute', input: { command }, shell: true }).policy;

const allowed = new Map<PermissionRuleSet, readonly string[]>();

/** The lines that rules allow, the same for every shell; other shells than bash run fewer of them. */
function linesFor(rules: PermissionRuleSet, shell: string): readonly string[] {
  const lines =
    allowed.get(rules) ??
    shellLines(made, seed)
      .filter(line => !line.includes('\0') && policyOf(rules, line) === 'allow')
      .slice(0, most);
  allowed.set(rules, lines);
  return wanted > 0 || shell === 'bash' ? lines : lines.slice(0, most / 2);
}

const wrote = /denied|read-only|cannot (create|overwrite)/i;

const hasBash = programPath('bash') !== undefined;
if (!hasBash && process.env['CI'])
  throw new Error('No bash on this machine: the permission rules cannot be compared with it.');
if (!hasBash)
  console.warn('SKIPPED permission rules against real shells: no bash. Get one with: apt-get install -y bash');

describe.skipIf(!hasBash)('permission rules against real shells', () => {
  const shells = ['bash', 'dash', 'zsh'].filter(name => programPath(name) !== undefined);
  let sandbox: ShellSandbox;
  beforeAll(() => void (sandbox = createShellSandbox()));
  afterAll(() => sandbox.close());

  it('sees what a line calls and writes', async () => {
    const touching = [
      'touch P',
      'ls <()#;touch P',
      'ls x\\\n#;touch P',
      'foo touch P',
      'env touch P',
      "sh -c 'touch P'",
    ];
    for (const run of await sandbox.run('bash', touching)) expect(run.calls).toContainEqual(['touch', 'P']);
    const [login, write] = await sandbox.run('bash', ["bash -lc 'ls x'", 'ls > f']);
    expect(login?.calls).toEqual([['ls', 'x']]);
    expect(write?.errors).toMatch(wrote);
  });

  it.each(shells)('a line that is allowed calls only what is allowed, and writes nothing, in %s', async shell => {
    const before = sandbox.files();
    const runs = await runAll(shell, linesFor(allow, shell));
    expect(runs.length).toBeGreaterThan(made / 100);
    expect(runs.filter(run => run.calls.length > 0).length).toBeGreaterThan(runs.length / 2);
    expect(runs.filter(run => wrote.test(run.errors) || callsOther(allow, run))).toEqual([]);
    expect(sandbox.files()).toEqual(before);
  });

  it.each(shells)('a line that no rule refuses or asks about calls nothing that one does, in %s', async shell => {
    const runs = await runAll(shell, linesFor(guard, shell));
    expect(runs.length).toBeGreaterThan(made / 100);
    expect(runs.filter(run => callsOther(guard, run))).toEqual([]);
  });

  /** Runs two lines at a time. */
  async function runAll(shell: string, lines: readonly string[]): Promise<LineRun[]> {
    const middle = Math.ceil(lines.length / 2);
    const halves = [lines.slice(0, middle), lines.slice(middle)];
    return (await Promise.all(halves.map(half => sandbox.run(shell, half)))).flat();
  }

  function callsOther(rules: PermissionRuleSet, { calls }: LineRun): boolean {
    return calls.some(call => policyOf(rules, call) !== 'allow');
  }
});
