import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, it } from 'vitest';
import { SqliteLog } from '../../../src/log/index.ts';
import { LiveScene } from '../support/live-scene.ts';
import { killedOwner } from '../support/killed-owner.ts';
import { installPrograms, isTried, programsReady } from '../support/real-program.ts';
import type { Play } from './play.ts';
import { decisions } from './plays/decisions.ts';
import { messages } from './plays/messages.ts';
import { requests } from './plays/requests.ts';
import { restarts } from './plays/restarts.ts';
import { stops } from './plays/stops.ts';
import type { Profile } from './profile.ts';
import { recordSeen, whenPassed } from './seen.ts';

const plays: readonly Play[] = [...decisions, ...requests, ...messages, ...restarts, ...stops];

/** Tests every scenario that applies to a program with each of its versions, and what is special about it. */
export function tryProgram(profile: Profile, special: (version: string) => void = () => {}): void {
  const versions = profile.versions.filter(version => isTried(version));
  const title = `${profile.live.protocol} of %s`;
  describe
    .skipIf(versions.length === 0 || !programsReady(`${profile.agent} over its channel`, versions))
    .each(versions)(title, { timeout: 300_000 }, version => {
    beforeAll(() => installPrograms(versions), 600_000);
    for (const play of plays) {
      const applied = play.scenarios.filter(scenario => profile.without[scenario] === undefined);
      if (applied.length > 0 && isQuickEnough(play, version))
        it(play.name, context => {
          whenPassed(context, () => recordSeen(version, applied));
          return perform(play, profile, version);
        });
    }
    special(version);
  });
}

/** What does not depend on the version is tried with the first one, unless all programs are asked for. */
function isQuickEnough({ owner, once, needsProc }: Play, version: string): boolean {
  if ((owner !== undefined || needsProc === true) && process.platform !== 'linux') return false;
  return once !== true || !version.includes('@') || process.env['SINGLETREE_PROGRAMS'] === 'all';
}

/** Opens a scene for a profile, plays it and closes it. */
async function perform({ script, play, owner }: Play, profile: Profile, version: string): Promise<void> {
  const logOf = (options: { readonly cwd: string }) => new SqliteLog(join(dirname(options.cwd), 'log.db'));
  const live = await LiveScene.open(version, script(profile), owner === undefined ? undefined : logOf);
  // Some programs refuse a command that sleeps.
  writeFileSync(join(live.options.cwd, 'slow.sh'), 'sleep "$1"\ntouch "$2"\n');
  profile.prepare?.(live);
  try {
    if (owner !== undefined) await killedOwner(live, profile.agent, owner === 'running' ? 'approve' : 'none');
    await play(live, profile);
  } finally {
    await live.close();
    if (owner !== undefined) await live.log.close();
  }
}
