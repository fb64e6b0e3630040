import type { CliAgentOptions } from '../agent/cli-agent.ts';
import type { Semaphore } from '../../semaphore.ts';
import type { SessionPool } from './session-pool.ts';

/** The options of an agent that uses its interactive channel. */
export type LiveAgentOptions = Omit<CliAgentOptions, 'sessions' | 'semaphore'> & {
  readonly sessions: SessionPool;
  readonly semaphore: Semaphore;
};
