import { defined } from '../events/defined.ts';
import { SingletreeError } from '../events/index.ts';
import type { Thread } from '../log/index.ts';
import type { Scope } from './security/caller.ts';
import type { Site } from './site.ts';

/** Returns a thread whose id its client chose; an unknown one, or one of another reader, has no messages yet. */
export async function findClientThread(site: Site, scope: Scope, id: string): Promise<Thread | undefined> {
  try {
    return await site.find(scope, id);
  } catch (error) {
    if (SingletreeError.is(error, 'thread_not_found')) return undefined;
    throw error;
  }
}

/** Returns a thread whose id its client chose, to send something to; it is created when needed. */
export async function openClientThread(site: Site, scope: Scope, id: string): Promise<Thread> {
  const { log } = site.options;
  if ((await log.getThread(id)) !== undefined) return site.findToSend(scope, id);
  return log.createThread({ id, ...defined({ resourceId: scope.resourceId }) });
}
