import type { ModelScript } from '../../../src/agents/model/scripted/script.ts';
import type { LiveScene } from '../support/live-scene.ts';
import type { Profile } from './profile.ts';
import type { Scenario } from './scenario.ts';

/** One test with a real program: the script of its model, what people do, and which scenarios it holds. */
export interface Play {
  readonly name: string;
  readonly scenarios: readonly Scenario[];
  readonly script: (profile: Profile) => ModelScript;
  readonly play: (live: LiveScene, profile: Profile) => Promise<void>;
  /** Whether another process owns the run at first, in a store on disk. */
  readonly owner?: 'asked' | 'running';
  /** Whether it looks at processes in `/proc`. */
  readonly needsProc?: boolean;
  /** Whether one version of a program is enough. */
  readonly once?: boolean;
}
