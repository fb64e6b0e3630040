import type { SessionPlace } from '../../agents/cli/sessions/session-format.ts';
import { importSession } from '../../control/import/import-session.ts';
import { listSessions, findSessions, type SessionSource, threadIdFor } from '../../control/import/session-source.ts';
import { defined } from '../../base/defined.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { type Route, route } from '../route.ts';
import type { Scope } from '../security/caller.ts';
import type { Site } from '../site.ts';
import { httpRoutes } from '../../protocols/http-routes.ts';

const tag = 'Sessions';

/** The sessions of external agents on this machine; a token of one resource does not open them. */
export function sessionRoutes(site: Site): Route[] {
  const { log, sessions } = site.options;
  /** The sources of the latest listing, so that an import reads only the files of its session. */
  let found = new Map<string, SessionSource>();
  const placeFor = ({ resourceId }: Scope): SessionPlace => {
    if (sessions !== undefined && resourceId === undefined) return sessions;
    const message = 'This server does not import the sessions of its machine. Run `singletree import` on the machine.';
    throw new SingletreeError('not_found', message);
  };
  const list = async (place: SessionPlace) => {
    const listed = await listSessions(log, findSessions(place));
    found = new Map(listed.map(({ source }) => [threadIdFor(source), source]));
    return listed;
  };
  const findAgain = async (place: SessionPlace, { agentId, session: { id, path } }: SessionSource) => {
    for await (const source of findSessions({ ...place, path }, agentId)) if (source.session.id === id) return source;
    return undefined;
  };
  return [
    route(tag, httpRoutes.listSessions, {
      right: 'administer',
      summary: 'List the sessions of external agents on this machine, newest first',
      handle: async ({ scope }) => ({
        sessions: (await list(placeFor(scope))).map(({ source, status, threadId }) => {
          const { cwd: folder, title, createdAt, updatedAt, bytes } = source.session;
          const { agentId } = source;
          const names = defined({ title: title?.slice(0, 200), folder, createdAt, threadId });
          return { id: threadIdFor(source), agentId, updatedAt, bytes, status, ...names };
        }),
      }),
    }),
    route(tag, httpRoutes.importSession, {
      right: 'administer',
      summary: 'Import a listed session, or what was added to it since',
      handle: async ({ param, scope, body: { skipSecrets } }) => {
        const id = param('sessionId');
        const place = placeFor(scope);
        if (!found.has(id)) await list(place);
        const listed = found.get(id);
        const source = listed && (await findAgain(place, listed));
        if (source === undefined)
          throw new SingletreeError('not_found', `No session "${id}" was found. List the sessions again.`);
        return importSession(log, source, skipSecrets === true ? { redactor: site.redactor } : {});
      },
    }),
  ];
}
