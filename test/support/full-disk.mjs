// Runs an agent whose second call waits for a line on standard input: by then the test has filled the disk.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { defineTool, loopAgent } from '../../dist/agents/index.js';
import { Supervisor } from '../../dist/control/index.js';
import { SqliteLog } from '../../dist/log/index.js';
import { scriptByStep, scriptedModel } from '../../dist/testing/index.js';

const [path, effects] = process.argv.slice(2);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const effect = defineTool({
  name: 'effect',
  description: 'Has an effect.',
  input: z.object({ number: z.number() }),
  execute: async ({ number }) => {
    appendFileSync(effects, `${number}\n`);
    if (number === 2) {
      console.log('fill');
      await lines.next();
    }
    return { context: 'x'.repeat(10_000) };
  },
});
const call = number => ({ toolCall: { id: `c${number}`, name: 'effect', input: { number } } });
const agent = loopAgent({
  model: scriptedModel(scriptByStep([call(1), call(2), call(3), 'Done.'])),
  tools: [effect],
  permissions: { default: 'allow', rules: [] },
});
const log = new SqliteLog(path);
const { id } = await log.createThread();
const supervisor = new Supervisor({ log });
const run = await supervisor.start(id, { agent, content: 'Go.' });
console.log(await run.done, id);
await supervisor.close();
await log.close();
process.stdin.destroy();
