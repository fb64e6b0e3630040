import { basename } from 'node:path';
import type { LiveStart } from '../contract/live-channel.ts';

/**
 * Returns a mark that distinguishes the events of a resumed session from those of earlier processes of the same run;
 * undefined for a new session. It is the random end of the name of the session's folder.
 */
export function resumeMark({ sessionId, folder }: LiveStart): string | undefined {
  return sessionId === undefined ? undefined : basename(folder).slice(-6);
}
