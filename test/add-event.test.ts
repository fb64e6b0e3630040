import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Returns a copy of the sources with one more event. */
function copyWithProbe(): string {
  const copy = mkdtempSync(join(tmpdir(), 'singletree-event-'));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  for (const name of ['src', 'package.json', 'tsconfig.base.json'])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const change = (name: string, edit: (text: string) => string) => {
    const file = join(copy, 'src/events', name);
    const text = readFileSync(file, 'utf8');
    expect(edit(text)).not.toBe(text);
    writeFileSync(file, edit(text));
  };
  change(
    'control.ts',
    text => `${text}\nexport const probe = define('probe', { doc: '' }, () => eventShape('probe', {}));\n`,
  );
  change('vocabulary.ts', text => text.replaceAll('  abortRequested,\n', '  abortRequested,\n  probe,\n'));
  change('event-types.ts', text =>
    text.replace(
      '  readonly abort_requested:',
      "  readonly probe: EventEnvelope & { type: 'probe' };\n  readonly abort_requested:",
    ),
  );
  return copy;
}

it('does not compile in exactly the files that ARCHITECTURE.md names to add an event', { timeout: 180_000 }, () => {
  const options = ['--noEmit', '--emitDeclarationOnly', 'false', '--composite', 'false', '--pretty', 'false'];
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', 'src', ...options], {
    cwd: copyWithProbe(),
    encoding: 'utf8',
  });
  const named = [...stdout.matchAll(/^(src\/\S+?\.ts)\(/gm)].map(([, path]) => path);
  const row = /^\| add an event \|.*$/m.exec(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'))?.[0] ?? '';
  const documented = [...row.matchAll(/`(src\/[^`]+\.ts)`/g)].map(([, path]) => path);
  expect(new Set(named)).toEqual(new Set(documented));
});
