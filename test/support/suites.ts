import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseCLI } from 'vitest/node';
import { sizeVariable } from './run-size.ts';

/** Test files that a run may leave out. */
export interface Suite {
  readonly name: string;
  /** Files, and folders that end with a slash. */
  readonly paths: readonly string[];
  /** Files of these folders that are not left out. */
  readonly except?: readonly string[];
  /** What runs it; by default Vitest with its paths. */
  readonly command?: string;
}

/** What decides which suites a run leaves out. */
export interface RunRequest {
  /** The environment of the run. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The arguments of Vitest. */
  readonly args: readonly string[];
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Suites for CI: they take minutes, or need programs that few machines have. */
export const longSuites: readonly Suite[] = [
  {
    name: 'real coding programs against a scripted model',
    paths: [
      'test/cli-agents/live.test.ts',
      'test/cli-agents/live-import.test.ts',
      'test/cli-agents/live-hand-over.test.ts',
      'test/cli-agents/hand-over-matrix.test.ts',
      'test/cli-agents/live-lost-sessions.test.ts',
      'test/cli-agents/hand-over-surfaces.test.ts',
      'test/cli-agents/hand-over-guide.test.ts',
      'test/cli-agents/live-mcp.test.ts',
      'test/cli-agents/channels/claude-live.test.ts',
      'test/cli-agents/channels/codex-live.test.ts',
      'test/cli-agents/channels/pi-live.test.ts',
    ],
  },
  {
    name: 'the page in a browser, beyond one short file',
    paths: ['test/browser/', 'test/coder-on-the-page.test.ts', 'test/live-surfaces.test.ts', 'test/product.test.ts'],
    except: ['test/browser/compaction.test.ts'],
  },
  {
    name: 'the chat in a terminal, beyond one short file',
    paths: ['test/terminal/'],
    except: ['test/terminal/input.test.ts'],
  },
  {
    name: 'the command at and without a terminal, and what its programs see',
    paths: [
      'test/environment.test.ts',
      'test/configured-webhooks.test.ts',
      'test/first-minute.test.ts',
      'test/run-output.test.ts',
      'test/run-without-terminal.test.ts',
      'test/threads-of-folders.test.ts',
    ],
  },
  { name: 'the pictures of the documents', paths: ['test/pictures/'] },
  {
    name: 'crashes and faults',
    paths: [
      'test/faults/',
      'test/crash.test.ts',
      'test/crash-matrix.test.ts',
      'test/dead-owner.test.ts',
      'test/orphans.test.ts',
      'test/server/chaos.test.ts',
      'test/server/fuzz.test.ts',
      'test/server/many-servers.test.ts',
    ],
  },
  {
    name: 'programs and code of models that hang, exit or use too much',
    paths: [
      'src/agents/mcp/connect-mcp.test.ts',
      'src/agents/process/guard-script.test.ts',
      'src/agents/process/orphaned-processes.test.ts',
      'src/agents/rlm/rlm-agent.test.ts',
      'src/agents/rlm/sandbox.test.ts',
      'src/log/sqlite/processes.test.ts',
      'test/cli-agents/live-driver.test.ts',
      'test/cli-agents/live-limits.test.ts',
      'test/cli-agents/stopped-runs.test.ts',
      'test/cli-agents/warm-takeover.test.ts',
    ],
  },
  {
    name: 'worktrees and agents compared in them',
    paths: ['src/control/worktrees/', 'test/server/worktrees.test.ts'],
  },
  {
    name: 'PostgreSQL and Redis, beyond the conformance suite',
    paths: ['src/log/postgres/', 'src/log/redis/', 'test/services.test.ts'],
    except: [
      'src/log/postgres/database-clock.test.ts',
      'src/log/postgres/postgres-log.test.ts',
      'src/log/postgres/prepared-append.test.ts',
      'src/log/redis/redis-log.test.ts',
    ],
  },
  {
    name: 'commands in processes of their own',
    paths: [
      'test/cli-run.test.ts',
      'test/coder.test.ts',
      'test/command-secrets.test.ts',
      'test/export-sessions.test.ts',
      'test/command-table.test.ts',
      'test/compare-command.test.ts',
      'test/face-traces.test.ts',
      'test/hostile-output.test.ts',
      'test/import-command.test.ts',
      'test/interrupted-runs.test.ts',
      'test/mcp/mcp-command.test.ts',
      'test/own-agents.test.ts',
      'test/read-only-store.test.ts',
      'test/send.test.ts',
      'test/server-token.test.ts',
      'test/store-command.test.ts',
      'test/telemetry-command.test.ts',
    ],
  },
  { name: 'editors over the Agent Client Protocol', paths: ['test/acp/'] },
  {
    name: 'the packed package, guides and examples',
    paths: [
      'test/packed.test.ts',
      'test/packed-on-node.test.ts',
      'test/packed-types.test.ts',
      'test/packed-bundle.test.ts',
      'test/packed-servers.test.ts',
      'test/packed-use-chat.test.ts',
      'test/guides.test.ts',
      'test/examples.test.ts',
    ],
  },
  {
    name: 'long conversations',
    paths: ['test/bounded-memory.test.ts', 'test/long-memory.test.ts', 'src/log/sqlite/large-thread.test.ts'],
  },
];

/** Programs that take long to install: only `SINGLETREE_PROGRAMS` with their names runs them. */
export const programSuite: Suite = {
  name: 'coding programs that take long to install',
  paths: ['test/cli-agents/channels/serve-live.test.ts', 'test/cli-agents/channels/acp-live.test.ts'],
  command: 'npm run live:all',
};

/** Whether a run leaves nothing out that this machine can run: in CI, with `SINGLETREE_TESTS=all`, and where files are named. */
export function isWhole({ env, args }: RunRequest): boolean {
  const wanted = env[sizeVariable] ?? '';
  if (!['', 'all'].includes(wanted))
    throw new Error(`${sizeVariable} is "${wanted}". Expected "all", which runs every suite, or nothing.`);
  return wanted === 'all' || Boolean(env['CI']) || namesIn(args).length > 0;
}

/** The suites that a run leaves out although it was not limited to other files. */
export function leftOutSuites(request: RunRequest): readonly Suite[] {
  const names = namesIn(request.args);
  const isMeant = names.length === 0 || filesOf(programSuite).some(file => names.some(name => file.includes(name)));
  const isLeftOut = isMeant && request.env['SINGLETREE_PROGRAMS'] === undefined;
  return [...(isWhole(request) ? [] : longSuites), ...(isLeftOut ? [programSuite] : [])];
}

/** The names of files among the arguments of Vitest. */
const namesIn = (args: readonly string[]): readonly string[] =>
  parseCLI(['vitest', ...args], { allowUnknownOptions: true }).filter;

/** The test files of a suite, as paths in the repository. */
export function filesOf({ paths, except = [] }: Suite): string[] {
  const files = paths.flatMap(path => (path.endsWith('/') ? testFilesIn(path) : [path]));
  return files.filter(file => !except.includes(file));
}

/** One line for a suite that a run left out: its name, its size, and the command that runs it. */
export function leftOutLine(suite: Suite): string {
  const { length } = filesOf(suite);
  const command = suite.command ?? `npx vitest run ${suite.paths.join(' ')}`;
  return `LEFT OUT: ${suite.name} (${length} ${length === 1 ? 'file' : 'files'}): ${command}`;
}

function testFilesIn(folder: string): string[] {
  const entries = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return entries.filter(entry => entry.endsWith('.test.ts')).map(entry => folder + entry);
}
