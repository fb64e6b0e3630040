import type { Profile } from '../profile.ts';
import { acpProfiles } from './acp.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { pi } from './pi.ts';
import { kilo, opencode } from './serve.ts';

/** The profiles of all programs that are tried. */
export const profiles: readonly Profile[] = [codex, claude, pi, opencode, kilo, ...acpProfiles];
