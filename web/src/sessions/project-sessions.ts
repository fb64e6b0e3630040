import type { SessionInfo } from '../../../src/protocols/http-sessions.ts';

/** The sessions of one folder, in the order of the list. */
export interface Project {
  /** Empty when the folder is unknown. */
  readonly folder: string;
  readonly sessions: readonly SessionInfo[];
}

/** Groups sessions by the folder that their agents worked in, in the order of each folder's first session. */
export function groupByProject(sessions: readonly SessionInfo[]): Project[] {
  const projects = new Map<string, SessionInfo[]>();
  for (const session of sessions) {
    const { folder = '' } = session;
    const group = projects.get(folder);
    if (group === undefined) projects.set(folder, [session]);
    else group.push(session);
  }
  return [...projects].map(([folder, group]) => ({ folder, sessions: group }));
}

/** Returns the size of sessions, such as 3.8 kB or 12.0 MB. */
export function formatBytes(sessions: readonly SessionInfo[]): string {
  const bytes = sessions.reduce((sum, session) => sum + session.bytes, 0);
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
