import { tmpdir } from 'node:os';

/** What a program needs of the variables of this process: where programs are, and the temporary folder of the run. */
export const bareEnvironment = (): { readonly PATH: string; readonly TMPDIR: string } => ({
  PATH: process.env['PATH'] ?? '',
  TMPDIR: tmpdir(),
});
