// A support bot of many shops is killed in a tool. Another process resumes it, for the same shop, and refunds nothing twice.
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteLog } from 'singletree';
import { defineTool, loopAgent } from 'singletree/agents';
import { Supervisor } from 'singletree/control';
import { scriptByStep, scriptedModel } from 'singletree/testing';
import * as z from 'zod';

const [crashIn] = process.argv.slice(2);
const folder = crashIn ?? mkdtempSync(join(tmpdir(), 'singletree-'));
const payments = join(folder, 'payments.txt');
const input = z.object({ order: z.string() });
const context = z.object({ shop: z.string() });
const refund = defineTool({
  name: 'refund',
  description: 'Pays an order back.',
  input,
  context,
  execute: ({ order }, { context: { shop }, by }) => {
    appendFileSync(payments, `${shop} refunds ${order} for ${by}\n`);
    if (crashIn) process.kill(process.pid, 'SIGKILL');
    return 'Refunded.';
  },
});
const findRefund = defineTool({
  name: 'find_refund',
  description: 'Returns whether an order was paid back.',
  input,
  context,
  execute: ({ order }, { context: { shop } }) => readFileSync(payments, 'utf8').includes(`${shop} refunds ${order}`),
});
const calls = (name: string) => [{ toolCall: { name, input: { order: 'A7' } } }];
const agent = loopAgent({
  model: scriptedModel(scriptByStep([calls('refund'), calls('find_refund'), 'Order A7 is paid back.'])),
  context,
  instructions: ({ context: { shop } }) => `You help the customers of ${shop}.`,
  tools: [refund, findRefund],
  permissions: 'allow',
});

if (!crashIn) spawnSync(process.execPath, [import.meta.filename, folder], { stdio: 'inherit' });
const log = new SqliteLog(join(folder, 'log.db'));
const supervisor = new Supervisor({ log, agents: [agent], contextOf: ({ thread }) => ({ shop: thread.resourceId }) });
if (crashIn) {
  const { id } = await log.createThread({ resourceId: 'Bikes & Co' });
  await (await supervisor.start(id, { agent, content: 'Refund A7, please.', by: 'Ada' })).done;
}
const [run] = await supervisor.recover();
const result = await run?.result;
console.log(result?.text, `(${result?.reason})`);
console.log(readFileSync(payments, 'utf8').trim());
await supervisor.close();
rmSync(folder, { recursive: true });
