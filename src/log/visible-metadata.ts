import { followUpPrefix, openRunPrefix, type Thread } from './event-log.ts';

/** Returns the metadata of a thread for its users: without the entries by which programs find open runs and messages. */
export function visibleMetadata(metadata: Thread['metadata']): Record<string, unknown> {
  const isInternal = (key: string) => key.startsWith(openRunPrefix) || key.startsWith(followUpPrefix);
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !isInternal(key)));
}
