import type { LanguageModelV3, LanguageModelV3Prompt } from '@ai-sdk/provider';
import { loopAgent, Memory } from 'singletree/agents';
import { Supervisor } from 'singletree/control';
import { MemoryLog } from 'singletree/log';
import { scriptedModel } from 'singletree/testing';
import type { Result } from './result.ts';

const turns = 1_000;
/** The turns after which a window of turns is measured: observers work in some turns only. */
const marks = [10, 100, 1_000] as const;
const window = 20;
const threshold = 3_000;
/** A token is about this many characters. */
const tokenLength = 4;

interface Cost {
  /** Milliseconds of CPU of one turn, with the observers that work meanwhile. */
  readonly cpu: number;
  readonly tokens: number;
  /** The part of a request that the one before begins with, too, in percent. */
  readonly shared: number;
}

/**
 * With observational memory a turn costs the same CPU and about as many tokens after 1,000 turns as after 10; the
 * observations, which later requests begin with, stay the same between two activations.
 */
export async function* memory(): AsyncGenerator<Result> {
  await talk(new Memory({ observation: { threshold: 500 } }), 50);
  const without = await talk(undefined);
  const observer = scriptedModel(
    () => `<observations>\nDate: 2026-01-01\n* [high] (10:00) User asked, agent answered.\n</observations>`,
  );
  const kept = await talk(
    new Memory({ model: observer, observation: { threshold }, reflection: { threshold: 1_000 } }),
  );
  for (const [index, mark] of marks.entries()) {
    const size = `turn ${mark.toLocaleString('en-US')}`;
    const [ours, peer, first] = [kept[index], without[index], kept[0]];
    if (ours === undefined || peer === undefined || first === undefined) return;
    const isLast = mark === turns;
    yield {
      claim: 'memory: tokens of a request vs without memory',
      size,
      unit: 'tokens',
      ours: ours.tokens,
      peer: peer.tokens,
      ...(isLast && { goal: { atMost: 0.1 } }),
    };
    yield { claim: 'memory: CPU of a turn vs without memory', size, unit: 'ms', ours: ours.cpu, peer: peer.cpu };
    yield {
      claim: 'memory: CPU of a turn vs turn 10',
      size,
      unit: 'ms',
      ours: ours.cpu,
      peer: first.cpu,
      ...(isLast && { goal: { atMost: 2 } }),
    };
    yield { claim: 'memory: unchanged beginning of a request', size, unit: '%', ours: ours.shared, peer: peer.shared };
  }
}

async function talk(memory: Memory | undefined, count: number = turns): Promise<Cost[]> {
  const sent: LanguageModelV3Prompt[] = [];
  const agent = loopAgent({
    model: watched(
      scriptedModel(() => 'Some more words about it. '.repeat(20)),
      sent,
    ),
    instructions: 'Be brief.',
    ...(memory === undefined ? { compaction: false as const } : { memory }),
  });
  const log = new MemoryLog();
  const { id: threadId } = await log.createThread();
  const supervisor = new Supervisor({ log });
  const costs: Cost[] = [];
  let before = process.cpuUsage();
  for (let turn = 1; turn <= count; turn++) {
    const mark = marks.find(each => turn > each - window && turn <= each);
    if (mark === undefined || turn === Math.max(1, mark - window + 1)) {
      sent.length = 0;
      before = process.cpuUsage();
    }
    await (await supervisor.start(threadId, { agent, content: `Tell me about number ${turn}.` })).done;
    if (turn !== mark) continue;
    const { user, system } = process.cpuUsage(before);
    costs.push({ cpu: (user + system) / 1_000 / Math.min(window, mark), ...requestsOf(sent) });
  }
  await supervisor.close();
  return costs;
}

function requestsOf(sent: readonly LanguageModelV3Prompt[]): Pick<Cost, 'tokens' | 'shared'> {
  const texts = sent.map(prompt => JSON.stringify(prompt).slice(0, -1));
  const shares = texts.slice(1).map((text, index) => sharedLength(texts[index] ?? '', text) / text.length);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return { tokens: mean(texts.map(({ length }) => length / tokenLength)), shared: mean(shares) * 100 };
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

/** Keeps the prompts that a model is sent. */
function watched(model: LanguageModelV3, sent: LanguageModelV3Prompt[]): LanguageModelV3 {
  return {
    specificationVersion: 'v3',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: options => model.doGenerate(options),
    doStream: options => {
      sent.push(options.prompt);
      return model.doStream(options);
    },
  };
}
