import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'singletree-memory-'));
afterAll(() => rmSync(folder, { recursive: true }));

const built = (name: string) => JSON.stringify(new URL(`../dist/${name}/index.js`, import.meta.url).href);
const head = `
  import { SqliteLog, exportThread, importThread } from ${built('log')};
  import { Harness, Supervisor } from ${built('control')};
  import { defineTool, loopAgent } from ${built('agents')};
  import * as z from 'zod';
  import { scriptByStep, scriptedModel } from ${built('testing')};
  const log = new SqliteLog(process.argv[1]);
  const tool = defineTool({ name: 'read', description: 'Reads.', input: z.object({}), execute: () => 'z'.repeat(Number(process.argv[2])) });
  const script = scriptByStep([[{ toolCall: { name: 'read', input: {} } }], 'Done.']);
  const agent = loopAgent({ model: scriptedModel(script, { keepRequests: 0 }), tools: [tool], permissions: { default: 'allow', rules: [] } });
  const supervisor = new Supervisor({ log, agents: [agent] });
  // As a server does: each message comes in a turn of its own.
  const run = async content => {
    await new Promise(resolve => setImmediate(resolve));
    const { id } = await log.createThread();
    return { id, outcome: await (await supervisor.start(id, { agent, content })).done };
  };`;

/** Runs a program in a process with little memory; resolves with what it printed. */
function inLittleMemory(megabytes: number, program: string, resultLength = 0): Promise<string> {
  const path = join(folder, `${Math.random()}.db`);
  const flags = [`--max-old-space-size=${megabytes}`, '--expose-gc', '--input-type=module', '-e'];
  const child = spawn(process.execPath, [...flags, `${head}${program}`, path, String(resultLength)]);
  let printed = '';
  child.stdout.on('data', chunk => (printed += chunk));
  child.stderr.on('data', chunk => (printed += chunk));
  return new Promise(resolve => child.on('close', (code, signal) => resolve(`${printed.trim()} ${code ?? signal}`)));
}

/** More than the heap can hold where everything is checked, fewer where somebody waits for the tests. */
const messages = process.env['CI'] ? 36 : 12;

describe('a process with little memory', { timeout: 120_000 }, () => {
  it('takes any number of long messages, each in a new thread', async () => {
    const program = `
      for (let n = 0; n < ${messages}; n++) {
        const { outcome } = await run('y'.repeat(7_900_000));
        if (outcome !== 'complete') throw new Error(outcome);
      }
      console.log('alive');`;
    expect(await inLittleMemory(256, program)).toBe('alive 0');
  });

  it('exports, imports and tails a thread that is longer than its heap', async () => {
    const program = `
      const { id } = await log.createThread();
      const content = 'y'.repeat(7_900_000);
      for (let n = 0; n < ${messages}; n++) await log.append(id, [{ type: 'user', runId: 'run' + n, content }]);
      const copy = await importThread(log, exportThread(log, id));
      for await (const { seq } of log.tail(copy.id)) if (seq === ${messages}) break;
      console.log(copy.seq);`;
    expect(await inLittleMemory(128, program)).toBe(`${messages} 0`);
  });

  it('keeps the conversation of an open thread and nothing else of its runs', async () => {
    // A run of 12 events: whatever is kept of each run besides, such as its prompt, grows with the number of runs.
    const program = `
      const harness = new Harness({ id: 'session', storage: log, modes: [{ id: 'main', agent }] });
      await harness.createThread();
      const used = async runs => {
        for (let n = 0; n < runs; n++) await harness.sendMessage({ content: 'Message ' + n });
        for (let n = 0; n < 3; n++) gc();
        return process.memoryUsage().heapUsed / 1024;
      };
      const [start, half, end] = [await used(60), await used(120), await used(120)];
      const [first, second] = [(half - start) / 120, (end - half) / 120];
      console.log(first < 64 && second < 64 ? 'bounded' : 'KB for each run: ' + [first, second]);
      process.exit(0);`;
    expect(await inLittleMemory(128, program, 20)).toBe('bounded 0');
  });

  it('gives the model an error when a tool returns more than an event may have, and continues the run', async () => {
    const program = `
      const { id, outcome } = await run('read it');
      const result = (await log.read(id)).find(({ type }) => type === 'tool_result');
      console.log(outcome, result?.output.error);`;
    const printed = await inLittleMemory(256, program, 20_000_000);
    expect(printed).toMatch(/^complete The tool returned 20000000 characters; .* 0$/);
  });
});
