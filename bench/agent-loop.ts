import { stepCountIs, streamText, tool } from 'ai';
import { defineTool, loopAgent } from 'singletree/agents';
import { type AgentEvent, newId } from 'singletree/events';
import { MemoryLog, ThreadWriter } from 'singletree/log';
import { type ModelScript, scriptedModel } from 'singletree/testing';
import * as z from 'zod';
import { type Rounds, race } from './measure.ts';
import type { Result } from './result.ts';

const tokens = 5_000;
const calls = 1_000;
const goal = { atMost: 1 };

/** A streamed token and a tool call cost no more in our loop than in the `ai` package with the same model. */
export async function* agentLoop(): AsyncGenerator<Result> {
  yield* streamedTokens();
  const one: ModelScript = ({ index }) => (index < calls ? [callOf(index)] : 'Done.');
  yield* toolCalls('one after another', one, { warmups: 1, rounds: 3 });
  const all = Array.from({ length: calls }, (_, index) => callOf(index));
  yield* toolCalls('in one turn', ({ index }) => (index === 0 ? all : 'Done.'), { warmups: 3, rounds: 10 });
}

async function* streamedTokens(): AsyncGenerator<Result> {
  const text = Array.from({ length: tokens }, (_, n) => `word${n}`).join(' ');
  const script: ModelScript = () => text;
  const times = await race(
    { array: () => runOurs(script, collect), log: () => runOurs(script, append), ai: () => runAi(script) },
    { warmups: 3, rounds: 10 },
  );
  const perToken = (milliseconds: number) => (milliseconds / tokens) * 1000;
  const row = { size: `${tokens.toLocaleString('en-US')} tokens`, unit: 'µs/token', peer: perToken(times.ai), goal };
  yield { ...row, claim: 'loop: events into an array vs streamText', ours: perToken(times.array) };
  yield { ...row, claim: 'loop: events into a log vs streamText', ours: perToken(times.log) };
}

async function* toolCalls(how: string, script: ModelScript, rounds: Rounds): AsyncGenerator<Result> {
  const times = await race(
    { array: () => runOurs(script, collect), log: () => runOurs(script, append), ai: () => runAi(script) },
    rounds,
  );
  const perCall = (milliseconds: number) => (milliseconds / calls) * 1000;
  const row = { size: `${calls.toLocaleString('en-US')} calls`, unit: 'µs/call', peer: perCall(times.ai), goal };
  yield { ...row, claim: `loop: tools ${how} vs streamText`, ours: perCall(times.array) };
  yield { ...row, claim: `loop: tools ${how}, into a log vs streamText`, ours: perCall(times.log) };
}

const input = z.object({ value: z.number() });
const double = ({ value }: z.infer<typeof input>) => value * 2;
const description = 'doubles a number';
const prompt = 'Go.';

const modelOf = (script: ModelScript) => scriptedModel(script, { keepRequests: 0 });
const callOf = (index: number) => ({ toolCall: { id: `call_${index}`, name: 'double', input: { value: index } } });

type Sink = (events: AsyncIterable<AgentEvent>) => Promise<number>;

async function runOurs(script: ModelScript, sink: Sink): Promise<void> {
  const agent = loopAgent({
    model: modelOf(script),
    tools: [defineTool({ name: 'double', description, input, execute: double })],
    permissions: { default: 'allow', rules: [] },
    maxIterations: calls + 1,
  });
  const messages = [{ role: 'user' as const, content: prompt }];
  const count = await sink(
    agent.invoke({ run: { runId: newId(), signal: new AbortController().signal }, conversation: { messages } }),
  );
  check(count);
}

async function collect(events: AsyncIterable<AgentEvent>): Promise<number> {
  const all: AgentEvent[] = [];
  for await (const event of events) all.push(event);
  return all.length;
}

async function append(events: AsyncIterable<AgentEvent>): Promise<number> {
  const log = new MemoryLog();
  const { id } = await log.createThread();
  const writer = new ThreadWriter(log, id);
  let count = 0;
  for await (const event of events) {
    await writer.write(event);
    count++;
  }
  await writer.flush();
  return count;
}

async function runAi(script: ModelScript): Promise<void> {
  const { fullStream } = streamText({
    model: modelOf(script),
    tools: { double: tool({ description, inputSchema: input, execute: double }) },
    stopWhen: stepCountIs(calls + 1),
    prompt,
  });
  const all: unknown[] = [];
  for await (const part of fullStream) all.push(part);
  check(all.length);
}

/** Every run here has at least one event for each token or call. */
function check(count: number): void {
  if (count < calls) throw new Error(`The run was not whole: it made ${count} events.`);
}
