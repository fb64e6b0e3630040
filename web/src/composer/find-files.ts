import type { Client } from '../../../src/client/index.ts';
import type { FindFiles } from './use-completion.ts';

/** Finds the files of the folder of a thread, or of the server before there is one. */
export function filesOf(client: Client, threadId?: string): FindFiles {
  return async query => {
    const files = await client.findMentions({ query, ...(threadId !== undefined && { threadId }) });
    return files.map(({ path, positions }) => ({ entry: path, positions }));
  };
}
