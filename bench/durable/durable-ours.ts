import { defineTool, loopAgent } from 'singletree/agents';
import { Supervisor } from 'singletree/control';
import { SqliteLog } from 'singletree/log';
import * as z from 'zod';
import { doubling, type DurableContender, type DurableSetting, instructions } from './durable-contender.ts';
import { scriptStream } from './scripted-stream.ts';

/** Our loop: every event is in the log before the next step needs it, text within 32 ms. */
export async function ours({ file, ...work }: DurableSetting): Promise<DurableContender> {
  const log = new SqliteLog(file);
  const agent = loopAgent({
    id: 'bench',
    model: scriptStream(work),
    instructions,
    tools: [
      defineTool({
        name: doubling.name,
        description: doubling.description,
        input: z.object({ value: z.number() }),
        execute: doubling.double,
      }),
    ],
    permissions: 'allow',
    compaction: false,
    maxIterations: work.calls + 2,
  });
  const supervisor = new Supervisor({ log, agents: [agent] });
  return {
    createThread: async () => (await log.createThread()).id,
    send: async (threadId, content) => {
      await supervisor.run(agent, content, { threadId });
      await supervisor.flush(threadId);
    },
    resume: async threadId => {
      const { here } = await supervisor.takeOver(threadId);
      await Promise.all(here.map(run => run.done));
    },
    close: async () => {
      await supervisor.close();
      await log.close();
    },
  };
}
