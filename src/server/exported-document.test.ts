import { expect, it } from 'vitest';
import { createRedactor } from '../agents/redaction/redactor.ts';
import { MemoryLog } from '../log/memory-log.ts';
import type { Thread } from '../log/event-log.ts';
import { exportedDocument } from './thread-export.ts';

it('refuses a document of a thread that is too long for a server, and names the command', async () => {
  const site = { log: new MemoryLog(), redactor: createRedactor([]), version: '1' };
  const thread = { ...(await site.log.createThread({})), seq: 50_001 } satisfies Thread;
  await expect(exportedDocument(site, thread, 'html')).rejects.toMatchObject({
    code: 'thread_too_large',
    message: expect.stringContaining(`singletree export ${thread.id} --format html`) as string,
  });
});
