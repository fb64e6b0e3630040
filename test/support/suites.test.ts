import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesOf, isWhole, leftOutLine, leftOutSuites, longSuites, programSuite } from './suites.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('the suites that a run leaves out', () => {
  it('are the long ones and the programs that take long to install', () => {
    const request = { env: {}, args: ['run', '--testTimeout', '1000', '-t', 'test/browser'] };
    expect([isWhole(request), leftOutSuites(request)]).toEqual([false, [...longSuites, programSuite]]);
  });

  it.each([{ CI: 'true' }, { SINGLETREE_TESTS: 'all' }])('are only these programs with %j', env => {
    const request = { env, args: ['run'] };
    expect([isWhole(request), leftOutSuites(request)]).toEqual([true, [programSuite]]);
  });

  it('are none with the names of the programs', () => {
    expect(leftOutSuites({ env: { CI: 'true', SINGLETREE_PROGRAMS: 'all' }, args: ['run'] })).toEqual([]);
  });

  it('are none where files are named', () => {
    const request = { env: {}, args: ['run', 'test/browser/page.test.ts', '--retry=1'] };
    expect([isWhole(request), leftOutSuites(request)]).toEqual([true, []]);
    expect(leftOutSuites({ env: {}, args: ['run', 'test/cli-agents'] })).toEqual([programSuite]);
  });

  it('are refused with another word than "all"', () => {
    expect(() => isWhole({ env: { SINGLETREE_TESTS: 'some' }, args: [] })).toThrow('Expected "all"');
  });

  it('have files, which exist and are in one suite each', () => {
    const files = [...longSuites, programSuite].map(filesOf);
    expect(files.map(({ length }) => length)).not.toContain(0);
    expect(files.flat().filter(file => !existsSync(join(root, file)))).toEqual([]);
    expect(new Set(files.flat()).size).toBe(files.flat().length);
    for (const { paths, except = [] } of longSuites)
      for (const file of except)
        expect([paths.some(path => file.startsWith(path)), existsSync(join(root, file)), file]).toEqual([
          true,
          true,
          file,
        ]);
  });

  it('are printed with the command that runs them', () => {
    expect(
      leftOutLine({
        name: 'the chat',
        paths: ['test/terminal/'],
        except: filesOf({ name: '', paths: ['test/terminal/'] }).slice(1),
      }),
    ).toBe('LEFT OUT: the chat (1 file): npx vitest run test/terminal/');
    expect(leftOutLine(programSuite)).toBe(
      'LEFT OUT: coding programs that take long to install (2 files): npm run live:all',
    );
  });
});
