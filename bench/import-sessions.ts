import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { race } from './measure.ts';
import type { Result } from './result.ts';
import { temporaryFolder } from './temporary-folder.ts';

const command = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const samples = new URL('../../test/cli-agents/session-fixtures/claude/projects/-home-dev-project/', import.meta.url);
const importedBytes = 20_000_000;
const listed = 10_000;
const listingMs = 2_000;

/** Importing sessions is compared with reading their lines as JSON; a list of many sessions appears at once. */
export async function* importSessions(): AsyncGenerator<Result> {
  const file = readdirSync(samples).find(name => name.endsWith('.jsonl')) ?? '';
  const text = readFileSync(new URL(file, samples), 'utf8');
  const lines = text.split('\n').filter(line => line !== '');
  const copies = Math.ceil(importedBytes / text.length);
  const folder = temporaryFolder();
  try {
    const few = writeSessions(folder.path('few'), text, copies);
    const many = writeSessions(folder.path('many'), text, listed);
    let imports = 0;
    const times = await race(
      {
        ours: () => run(few, ['--all', '--db', folder.path(`${++imports}.db`)]),
        peer: () => {
          for (let copy = 0; copy < copies; copy++) for (const line of lines) JSON.parse(line);
        },
      },
      { warmups: 0, rounds: 3 },
    );
    yield {
      claim: 'import: sessions into SQLite, vs JSON.parse of the same lines',
      size: `${copies} sessions, 20 MB`,
      unit: 'ms',
      ...times,
      goal: { atMost: 3 },
    };
    const { ours } = await race(
      { ours: () => run(many, ['--json', '--db', folder.path('list.db')]) },
      { warmups: 1, rounds: 3 },
    );
    yield {
      claim: 'import: list sessions by the command, vs 2 s',
      size: `${listed.toLocaleString('en-US')} sessions`,
      unit: 'ms',
      ours,
      peer: listingMs,
      goal: { atMost: 1 },
    };
  } finally {
    folder.remove();
  }
}

/** Writes copies of a session to a new home folder, each with an id of its own. */
function writeSessions(home: string, text: string, count: number): string {
  const project = join(home, '.claude', 'projects', '-home-dev-project');
  mkdirSync(project, { recursive: true });
  for (let number = 1; number <= count; number++) writeFileSync(join(project, `session-${number}.jsonl`), text);
  return home;
}

function run(home: string, args: readonly string[]): void {
  const env = { PATH: process.env['PATH'], HOME: home, SINGLETREE_HOME: join(home, 'singletree') };
  const { status, stderr } = spawnSync(process.execPath, [command, 'import', 'claude', ...args], {
    env,
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  if (status !== 0) throw new Error(`The import failed: ${stderr}`);
}
