import { agentTool, defineTool, loopAgent } from 'singletree/agents';
import { type AgentEvent, newId } from 'singletree/events';
import { MemoryLog, ThreadWriter } from 'singletree/log';
import { type ModelScript, scriptedModel } from 'singletree/testing';
import * as z from 'zod';
import { collectGarbage, race } from './measure.ts';
import type { Result } from './result.ts';

const children = 100;
const callsOfChild = 10;
const calls = children * callsOfChild;
const modelCalls = children * (callsOfChild + 1) + 2;

/** A hundred subagents side by side, each with ten tool calls, beside the same model calls made bare. */
export async function* subagents(): AsyncGenerator<Result> {
  const times = await race({ ours: () => runAll(), bare: () => callBare() }, { warmups: 2, rounds: 5 });
  const size = `${children} subagents, ${calls.toLocaleString('en-US')} tool calls`;
  const perCall = (milliseconds: number) => (milliseconds / modelCalls) * 1000;
  yield {
    claim: 'subagents: a run with all its events in a log vs the same model calls bare',
    size,
    unit: 'µs/model call',
    ours: perCall(times.ours),
    peer: perCall(times.bare),
  };
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  let most = before;
  await runAll(() => (most = Math.max(most, process.memoryUsage().heapUsed)));
  yield { claim: 'subagents: most memory while they run, with the log', size, unit: 'MB', ours: (most - before) / 1e6 };
}

const step = defineTool({
  name: 'step',
  description: 'takes a step',
  input: z.object({ number: z.number() }),
  execute: ({ number }) => number,
});
const childScript: ModelScript = ({ step: at }) =>
  at < callsOfChild ? [{ toolCall: { name: 'step', input: { number: at } } }] : 'Done.';
const modelOf = (script: ModelScript) => scriptedModel(script, { keepRequests: 0 });
const permissions = { default: 'allow' as const, rules: [] };

async function runAll(onResult: () => void = () => {}): Promise<void> {
  const child = loopAgent({ id: 'child', model: modelOf(childScript), tools: [step], permissions });
  const asks = Array.from({ length: children }, (_, at) => ({
    toolCall: { name: 'agent', input: { task: `task ${at}` } },
  }));
  const parent = loopAgent({
    model: modelOf(({ index }) => (index === 0 ? asks : 'Done.')),
    tools: [agentTool({ agents: [{ agent: child, description: 'works' }], parallel: children })],
    permissions,
    parallel: children,
  });
  const log = new MemoryLog();
  const { id } = await log.createThread();
  const writer = new ThreadWriter(log, id);
  let results = 0;
  const messages = [{ role: 'user' as const, content: 'Go.' }];
  const events: AsyncIterable<AgentEvent> = parent.invoke({
    run: { runId: newId(), signal: new AbortController().signal },
    conversation: { messages },
  });
  for await (const event of events) {
    await writer.write(event);
    if (event.type !== 'tool_result') continue;
    if (++results % 100 === 0) onResult();
  }
  await writer.flush();
  if (results !== calls + children) throw new Error(`Expected ${calls + children} results, got ${results}.`);
}

/** The same model calls with nothing around them: the streams are read, the tools are run by hand. */
async function callBare(): Promise<void> {
  const parent = modelOf(() => 'Done.');
  const child = modelOf(({ index }) => (index % (callsOfChild + 1) < callsOfChild ? 'Again.' : 'Done.'));
  const read = async (model: ReturnType<typeof modelOf>, text: string) => {
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }];
    const reader = (await model.doStream({ prompt })).stream.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read());
  };
  await read(parent, 'Go.');
  await Promise.all(
    Array.from({ length: children }, async (_, at) => {
      for (let call = 0; call <= callsOfChild; call++) await read(child, `task ${at}`);
    }),
  );
  await read(parent, 'Go on.');
}
