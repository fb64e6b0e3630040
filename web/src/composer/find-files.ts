import type { Client } from '../../../src/client/client.ts';
import { defined } from '../../../src/base/defined.ts';
import type { FindFiles } from './use-completion.ts';

/** Finds the files of the folder of a thread; before there is one, those of a project, or of the server. */
export function createFindFiles(client: Client, threadId?: string, folder?: string): FindFiles {
  return async query => {
    const files = await client.findMentions({ query, ...defined({ threadId, folder }) });
    return files.map(({ path, positions }) => ({ entry: path, positions }));
  };
}
