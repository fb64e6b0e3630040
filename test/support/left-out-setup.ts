import { leftOutLine, leftOutSuites } from './suites.ts';

/** Set in the process of a run that prints these lines. */
const printedVariable = 'SINGLETREE_TEST_LEFT_OUT';
let lines: readonly string[] = [];

/** Prints at the end of a run what it left out, once for all projects. */
export function setup(): void {
  if (process.env[printedVariable] !== undefined) return;
  process.env[printedVariable] = 'printed';
  const { env, argv } = process;
  const suites = leftOutSuites({ env, args: argv.slice(2) });
  lines = suites.map(leftOutLine);
  if (suites.length > 1) lines = [...lines, 'npm run test:all runs every suite whose programs are found here.'];
}

export function teardown(): void {
  if (lines.length > 0) process.stderr.write(`\n${lines.join('\n')}\n`);
  lines = [];
}
