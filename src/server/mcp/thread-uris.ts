/** The resource that lists threads. */
export const threadsUri = 'singletree://threads';

/** The resource of the pending relays. */
export const inboxUri = 'singletree://inbox';

/** The resource of a thread as Markdown. */
export function threadUri(threadId: string): string {
  return `${threadsUri}/${encodeURIComponent(threadId)}`;
}

/** The resources that change with a thread. */
export function changedUris(threadId: string): readonly string[] {
  return [threadsUri, inboxUri, threadUri(threadId), `${threadUri(threadId)}/events`];
}
