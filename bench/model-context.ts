import { defineTool, loopAgent } from 'singletree/agents';
import { Supervisor } from 'singletree/control';
import type { LoggedEvent } from 'singletree/events';
import { MemoryLog } from 'singletree/log';
import { projectRequest } from 'singletree/projections';
import { scriptedModel } from 'singletree/testing';
import * as z from 'zod';
import type { Result } from './result.ts';

const turns = 50;

/** What models were sent beside the messages is stored once, not with each of the requests. */
export async function* modelContext(): AsyncGenerator<Result> {
  const events = await threadOfTurns();
  const size = (values: readonly unknown[]) =>
    values.reduce<number>((sum, value) => sum + JSON.stringify(value).length, 0);
  const steps = events.filter(event => event.type === 'step_start');
  const began = performance.now();
  const requests = steps.map(step => projectRequest(events, step));
  const perRequest = (performance.now() - began) / steps.length;
  const size50 = `${turns} turns, 40 tools`;
  yield {
    claim: 'model context: stored vs with every request',
    size: size50,
    unit: 'kB',
    ours: size(events.filter(event => event.type === 'model_context')) / 1_000,
    peer: size(requests.map(request => ({ ...request, messages: [] }))) / 1_000,
    goal: { atMost: 0.05 },
  };
  yield { claim: 'model context: a request made again from the log', size: size50, unit: 'ms', ours: perRequest };
}

async function threadOfTurns(): Promise<readonly LoggedEvent[]> {
  const log = new MemoryLog();
  const { id } = await log.createThread();
  const supervisor = new Supervisor({ log });
  const input = z.object({ value: z.string().describe('a value') });
  const tools = Array.from({ length: 40 }, (_, n) =>
    defineTool({ name: `tool_${n}`, description: 'does one thing '.repeat(60), input, execute: () => '' }),
  );
  const instructions = 'Be exact. '.repeat(1_000);
  const agent = loopAgent({ model: scriptedModel(() => 'Done.', { keepRequests: 0 }), instructions, tools });
  for (let turn = 0; turn < turns; turn++) await (await supervisor.start(id, { agent, content: 'Go.' })).done;
  await supervisor.close();
  return log.read(id);
}
