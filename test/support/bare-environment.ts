import { tmpdir } from 'node:os';

/**
 * What a program needs of the variables of this process: where programs are, and the temporary folder of the run. No model
 * names conversations: scripts of models count their calls.
 */
export const bareEnvironment = () => ({
  PATH: process.env['PATH'] ?? '',
  TMPDIR: tmpdir(),
  SINGLETREE_TITLES: 'message',
});
