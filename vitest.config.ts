import { defineConfig } from 'vitest/config';

/** Tests that look at which modules were loaded. */
const apart = ['src/**/*-lazy.test.ts'];
/** Tests that go through several modules in one process. */
const through = ['test/{cli-agents,harness,protocols}/**/*.test.ts'];
/** Tests with programs that take long to install: `npm run live:all`, or `SINGLETREE_PROGRAMS` with their names. */
const onDemand =
  process.env['SINGLETREE_PROGRAMS'] === undefined ? ['test/cli-agents/channels/{serve,acp}-live.test.ts'] : [];

export default defineConfig({
  test: {
    maxWorkers: '100%',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Real browsers and programs run out of time on a machine that stalls: in CI they get two more tries, which are reported.
    retry: process.env['CI'] ? 2 : 0,
    globalSetup: ['test/support/services-setup.ts'],
    projects: [
      // Tests of one module share what is loaded: loading it anew for each file takes longer than they do.
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'web/**/*.test.ts', ...through],
          exclude: [...apart, ...onDemand],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'whole', include: ['test/**/*.test.ts', ...apart], exclude: through } },
    ],
  },
});
