import { SingletreeError } from '../base/singletree-error.ts';
import type { Thread } from '../log/event-log.ts';
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
