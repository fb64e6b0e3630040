import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { lawRuns } from '../../../../test/support/run-size.ts';
import { defineTool } from '../../loop/tool.ts';
import type { ToolEvent } from '../../contract/tool-values.ts';
import type { ToolCall } from '../../contract/agent.ts';
import { bytePath, type Checkpoint, checkpointName, readCheckpoint } from './checkpoint.ts';
import { applyRewind, collectUncovered, previewRewind } from './file-rewind.ts';
import { lookAt } from './file-state.ts';
import { ShadowRepository } from './shadow-repository.ts';
import { withCheckpoints } from './with-checkpoints.ts';

/** A path as bytes, one character each: one of the names is not UTF-8, one has a line break and a quote. */
const names = ['a', 'b', 'd', 'gr\xc3\xbc\xc3\x9fe', '\xff\xfe', 'x\n"y', '.gitignore', '.gitattributes', 'nested'];
const path = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }).map(parts => parts.join('/'));
const content = fc.oneof(
  fc.constantFrom(
    '',
    'one\n',
    'one\r\ntwo\r\n',
    '$Id$\n',
    'x'.repeat(3_000),
    'b\n/d/\n',
    'a\n!a\n*.x\n',
    '* text eol=crlf ident working-tree-encoding=UTF-16\n',
  ),
  fc.uint8Array({ maxLength: 40 }).map(bytes => Buffer.from(bytes).toString('latin1')),
);
const mode = fc.constantFrom(0o644, 0o600, 0o640, 0o444, 0o755, 0o700, 0o4755, 0o000);
const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('write' as const), path, content }) },
  fc.record({
    do: fc.constant('link' as const),
    path,
    content: fc.constantFrom('a', 'd', '../d', '\xff', '../outside', '../../outside'),
  }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), path }) },
  fc.record({ do: fc.constant('folder' as const), path }),
  fc.record({ do: fc.constant('move' as const), path, to: path }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant('mode' as const), path, mode }) },
  fc.record({ do: fc.constant('repository' as const), path }),
  fc.record({ do: fc.constant('pipe' as const), path }),
);
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

const bytes = (text: string) => Buffer.from(text, 'latin1');

/** Does what it can: an operation that the file system refuses is left out. */
function perform(root: string, given: Operation): void {
  const full = bytes(`${root}/${given.path}`);
  if (leavesThroughLink(root, given.path) || ('to' in given && leavesThroughLink(root, given.to))) return;
  const found = lookAt(full);
  const makeFolder = () => mkdirSync(full.subarray(0, full.lastIndexOf('/')), { recursive: true });
  try {
    if (given.do === 'remove') rmSync(full, { recursive: true, force: true });
    else if (given.do === 'move') renameSync(full, bytes(`${root}/${given.to}`));
    else if (given.do === 'mode') {
      if (found?.isSymbolicLink() === false) chmodSync(full, given.mode);
    } else {
      if (found?.isSymbolicLink() === true || found?.isFIFO() === true) rmSync(full);
      makeFolder();
      if (given.do === 'write') writeFileSync(full, bytes(given.content));
      if (given.do === 'link') symlinkSync(bytes(given.content), full);
      if (given.do === 'folder') mkdirSync(full);
      if (given.do === 'pipe') execFileSync('mkfifo', [full.toString('utf8')], { stdio: 'ignore' });
      if (given.do === 'repository') {
        mkdirSync(Buffer.concat([full, bytes('/.git')]), { recursive: true });
        writeFileSync(Buffer.concat([full, bytes('/.git/HEAD')]), `ref: refs/heads/main\n`);
      }
    }
  } catch {
    // The path is something else by now.
  }
}

function leavesThroughLink(root: string, path: string): boolean {
  const parts = path.split('/').slice(0, -1);
  return parts.some((_, index) => lookAt(bytes(`${root}/${parts.slice(0, index + 1).join('/')}`))?.isSymbolicLink());
}

/** Everything below a folder: kind, permissions and bytes by path. */
function readTree(root: string, folder = ''): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of readdirSync(bytes(`${root}/${folder}`), 'latin1')) {
    const at = folder === '' ? name : `${folder}/${name}`;
    const full = bytes(`${root}/${at}`);
    const stats = lstatSync(full);
    const held = stats.isFile()
      ? readFileSync(full, 'latin1')
      : stats.isSymbolicLink()
        ? readlinkSync(full, 'latin1')
        : '';
    found.set(at, `${stats.mode.toString(8)} ${held}`);
    if (stats.isDirectory()) for (const [below, state] of readTree(root, at)) found.set(below, state);
  }
  return found;
}

/** The paths that differ and that no warning covers: neither they nor a folder above them is named. */
function unexplained(before: Map<string, string>, now: Map<string, string>, named: ReadonlySet<string>): string[] {
  const isNamed = (at: string) =>
    at.split('/').some((_, index, parts) => named.has(parts.slice(0, index + 1).join('/'))) ||
    // A folder stays for what is in it.
    [...named].some(other => other.startsWith(`${at}/`));
  return [...new Set([...before.keys(), ...now.keys()])].filter(at => before.get(at) !== now.get(at) && !isNamed(at));
}

const runs = Number(process.env['SINGLETREE_UNDO_RUNS'] ?? lawRuns(200));

it('undo and redo restore bytes and permissions exactly, or name what they do not', {
  timeout: 3_600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(operation, { maxLength: 12 }),
      fc.array(fc.array(operation, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 }),
      async (start, calls) => {
        const root = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-undo-')));
        const work = join(root, 'work');
        mkdirSync(work);
        for (const name of ['a', 'b', 'd/a', 'd/nested/b'])
          perform(join(root, 'outside'), { do: 'write', path: name, content: name });
        const outside = readTree(join(root, 'outside'));
        try {
          const repository = new ShadowRepository({
            folder: join(root, 'snapshots'),
            workTree: work,
            maxFileBytes: 2_000,
          });
          for (const step of start) perform(work, step);
          const before = readTree(work);
          const checkpoints = await runCalls(repository, work, calls);
          const after = readTree(work);
          const named = new Set(collectUncovered(checkpoints, work).map(bytePath));
          for (const [direction, expected] of [
            ['undo', before],
            ['redo', after],
            ['undo', before],
          ] as const) {
            const failed = await rewind(repository, checkpoints, direction);
            // Nothing is in the way of a turn that only changed what is covered.
            if (named.size === 0) expect(failed).toEqual([]);
            expect(unexplained(expected, readTree(work), new Set([...named, ...failed]))).toEqual([]);
            expect(readTree(join(root, 'outside'))).toEqual(outside);
          }
        } finally {
          rmSync(root, { recursive: true, force: true });
        }
      },
    ),
    {
      numRuns: runs,
      // The permissions of an ignored folder change.
      examples: [
        [
          [
            { do: 'write', path: 'd/a', content: '' },
            { do: 'write', path: '.gitignore', content: '/d/\n' },
          ],
          [[{ do: 'mode', path: 'd', mode: 0o700 }]],
        ],
      ],
    },
  );
});

/** Performs the operations of each call through a tool, and returns the checkpoints. */
async function runCalls(
  repository: ShadowRepository,
  work: string,
  calls: readonly (readonly Operation[])[],
): Promise<Checkpoint[]> {
  const events: ToolEvent[] = [];
  const change = defineTool({
    name: 'change',
    description: 'Performs operations',
    input: z.custom<readonly Operation[]>(),
    category: 'execute',
    execute: steps => {
      for (const step of steps) perform(work, step);
      return 'done';
    },
  });
  const [tool] = withCheckpoints([change], repository);
  const context = { runId: 'run', toolCallId: 'call', emit: async (event: ToolEvent) => void events.push(event) };
  for (const call of calls) await tool?.execute(call, context as unknown as ToolCall);
  return events
    .filter(event => event.type === 'custom' && event.name === checkpointName)
    .map(event => readCheckpoint({ ...event, runId: 'run' }) as Checkpoint);
}

/** Rewinds; returns the paths that it reported as not restored. */
async function rewind(
  repository: ShadowRepository,
  checkpoints: readonly Checkpoint[],
  direction: 'undo' | 'redo',
): Promise<string[]> {
  const preview = await previewRewind(checkpoints, repository, direction);
  const conflicts = preview.filter(({ isConflict }) => isConflict).map(bytePath);
  try {
    await applyRewind(preview, repository);
    return conflicts;
  } catch (error) {
    const { code, details } = error as { code: string; details: { failed: { path: string; bytes?: string }[] } };
    expect(code).toBe('rewind_incomplete');
    return [...conflicts, ...details.failed.map(bytePath)];
  }
}
