import type { EventLog } from '../log/index.ts';

/** The newest session that an agent told in a thread, by which it can go on; undefined when it told none. */
export async function newestSession(log: EventLog, threadId: string, agentId: string): Promise<string | undefined> {
  const runs = new Set<string>();
  let session: string | undefined;
  for (let after = 0; ; ) {
    const page = await log.read(threadId, { after });
    for (const event of page) {
      if (event.type === 'harness_start' && event.agentId === agentId) runs.add(event.runId);
      if (event.type === 'session' && runs.has(event.runId)) session = event.sessionId;
    }
    const last = page.at(-1);
    if (last === undefined) return session;
    after = last.seq;
  }
}
