import { modelAgent, rlmAgent } from 'singletree/agents';
import { type ModelScript, scriptedModel } from 'singletree/testing';
import { race } from './measure.ts';
import type { Result } from './result.ts';

const queries = 200;
const answer = Array.from({ length: 20 }, (_, n) => `word${n}`).join(' ');
const delayMs = 2;

/** Queries made by code in a sandbox cost little beside the model calls themselves. */
export async function* rlm(): AsyncGenerator<Result> {
  const rounds = { warmups: 1, rounds: 5 };
  const size = `${queries} queries`;
  const instant = await race({ ours: () => runOurs(() => answer), bare: () => runBare(() => answer) }, rounds);
  yield { claim: 'rlm: a run, sandbox and all', size, unit: 'ms', ours: instant.ours };
  yield { claim: 'rlm: the same model calls, made bare', size, unit: 'ms', ours: instant.bare };
  const slow: ModelScript = () => ({ text: answer, delayMs });
  const paced = await race({ ours: () => runOurs(slow), bare: () => runBare(slow) }, rounds);
  const claim = `rlm: a run vs its model calls, at ${1000 / delayMs} tokens/s`;
  yield { claim, size, unit: 'ms', ours: paced.ours, peer: paced.bare, goal: { atMost: 1.5 } };
}

const parallel = 8;
const code = `FINAL((await Promise.all(Array.from({ length: ${queries} }, (_, n) => llm_query('Query ' + n)))).length)`;
const modelOf = (script: ModelScript) => scriptedModel(script, { keepRequests: 0 });
const ask = (content: string) => ({ conversation: { messages: [{ role: 'user' as const, content }] } });

async function runOurs(script: ModelScript): Promise<void> {
  const agent = rlmAgent({
    model: modelOf([`\`\`\`js\n${code}\n\`\`\``]),
    subModel: modelOf(script),
    limits: { parallelQueries: parallel },
  });
  let said = '';
  for await (const event of agent.invoke(ask('Go.'))) if (event.type === 'text') said = event.content;
  if (said !== `${queries}`) throw new Error(`The run was not whole: it said ${said}.`);
}

/** The same number of model calls, as many at once. */
async function runBare(script: ModelScript): Promise<void> {
  const agent = modelAgent(modelOf(script));
  let next = 0;
  const worker = async () => {
    while (next < queries) for await (const event of agent.invoke(ask(`Query ${next++}`))) void event;
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}
