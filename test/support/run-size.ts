/** Set to `all` in a run that leaves no suite out, and in one whose files are named. */
export const sizeVariable = 'SINGLETREE_TESTS';

/** Whether this run leaves nothing out. */
export const isWholeRun: boolean = process.env[sizeVariable] === 'all';

/** How many cases a slow law tries: a fifth of them in a short run. */
export const lawRuns = (count: number): number => (isWholeRun ? count : Math.ceil(count / 5));
