import { tmpdir } from 'node:os';

/** Names the temporary folder of the system, in runs whose tests have one of their own. */
export const systemFolderVariable = 'SINGLETREE_TEST_SYSTEM_FOLDER';

/** Calls a function whose temporary folder is that of the system: for files that later runs use again. */
export async function inSystemFolder<Result>(make: () => Promise<Result>): Promise<Result> {
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = process.env[systemFolderVariable] ?? tmpdir();
  try {
    return await make();
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
}
