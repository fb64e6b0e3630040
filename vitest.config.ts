import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { sandboxProgram } from './scripts/sandbox-program.ts';
import { filesOf, isWhole, leftOutSuites } from './test/support/suites.ts';
import { sizeVariable } from './test/support/run-size.ts';

/** Tests that look at which modules were loaded. */
const apart = ['src/**/*-lazy.test.ts'];
/** Tests that go through several modules in one process. */
const through = ['test/{cli-agents,harness,protocols,server}/**/*.test.ts'];
const request = { env: process.env, args: process.argv.slice(2) };
/** Test files that this run leaves out. */
const leftOut = leftOutSuites(request).flatMap(filesOf);

export default defineConfig({
  plugins: [sandboxProgram()],
  test: {
    // Tests wait for processes and databases: in a short run one more than there are cores works meanwhile.
    maxWorkers: availableParallelism() + (isWhole(request) ? 0 : 1),
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Real browsers and programs run out of time on a machine that stalls: in CI they get two more tries, which are reported.
    retry: process.env['CI'] ? 2 : 0,
    env: { [sizeVariable]: isWhole(request) ? 'all' : '' },
    globalSetup: [
      'test/support/temporary-folder-setup.ts',
      'test/support/services-setup.ts',
      'test/support/left-out-setup.ts',
    ],
    projects: [
      // Tests of one module share what is loaded: loading it anew for each file takes longer than they do.
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'web/**/*.test.ts', ...through],
          exclude: [...apart, ...leftOut],
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'whole', include: ['test/**/*.test.ts', ...apart], exclude: [...through, ...leftOut] },
      },
    ],
  },
});
