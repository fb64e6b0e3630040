import type { DurableContender, DurableSetting } from './durable-contender.ts';

/** One measurement in a process of its own: who, the folder it is installed in, its file, what is measured, how much. */
const [who = '', folder = '', file = '', what = '', size = '0', thread = ''] = process.argv.slice(2);
const count = Number(size);

const contenders: Readonly<Record<string, () => Promise<(setting: DurableSetting) => Promise<DurableContender>>>> = {
  ours: async () => (await import('./durable-ours.ts')).ours,
  'ai-sdk': async () => (await import('./durable-ai-sdk.ts')).aiSdk,
  'openai-agents': async () => (await import('./durable-openai.ts')).openaiAgents,
  langgraph: async () => (await import('./durable-langgraph.ts')).langgraph,
  mastra: async () => (await import('./durable-mastra.ts')).mastra,
};

async function create(work: Omit<DurableSetting, 'folder' | 'file'>, at = file): Promise<DurableContender> {
  const contender = contenders[who];
  if (contender === undefined) throw new Error(`No contender is called "${who}".`);
  return (await contender())({ ...work, folder, file: at });
}

/** Milliseconds of processor time that this process has used since it started. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const before = processorTime();
  await work();
  return processorTime() - before;
}

/** Sends one short message first: what is loaded late is loaded then. */
async function createWarm(work: Omit<DurableSetting, 'folder' | 'file'>): Promise<DurableContender> {
  const warm = await create({ calls: 2, words: 5 }, `${file}-warm`);
  await warm.send(await warm.createThread(), 'Load what is loaded late.');
  await warm.close();
  return create(work);
}

function mean(times: readonly number[]): number {
  return times.reduce((sum, time) => sum + time, 0) / times.length;
}

/** The time since the start of the process at the first model call, and the results that the call has of its turn. */
function firstModelCall(begin: (contender: DurableContender) => Promise<void>): Promise<object> {
  return new Promise((resolve, reject) => {
    const onModelCall = (results: number) => resolve({ time: processorTime(), results });
    create({ calls: 2 * count, words: 5, onModelCall })
      .then(begin)
      .catch(reject);
  });
}

const measurements: Readonly<Record<string, () => Promise<object>>> = {
  /** One run with this many calls. */
  calls: async () => {
    const contender = await createWarm({ calls: count, words: 5 });
    const threadId = await contender.createThread();
    const time = await timeOf(() => contender.send(threadId, 'Go.'));
    await contender.close();
    return { time };
  },
  /** This many turns of one thread, each with one call. */
  turns: async () => {
    const contender = await createWarm({ calls: 1, words: 40 });
    const threadId = await contender.createThread();
    const times: number[] = [];
    for (let turn = 0; turn < count; turn++) times.push(await timeOf(() => contender.send(threadId, `Turn ${turn}.`)));
    await contender.close();
    const memory = process.resourceUsage().maxRSS / 1024;
    const time = times.reduce((sum, each) => sum + each, 0);
    return { time, last: mean(times.slice(-10)), memory, threadId };
  },
  /** One reply of this many tokens. */
  stream: async () => {
    const contender = await createWarm({ calls: 0, words: count });
    const threadId = await contender.createThread();
    const time = await timeOf(() => contender.send(threadId, 'Go.'));
    await contender.close();
    return { time };
  },
  /** This many threads at once, each with a run of ten calls. */
  concurrent: async () => {
    const contender = await createWarm({ calls: 10, words: 5 });
    const threads: string[] = [];
    for (let at = 0; at < count; at++) threads.push(await contender.createThread());
    const time = await timeOf(() => Promise.all(threads.map(threadId => contender.send(threadId, 'Go.'))));
    await contender.close();
    return { time };
  },
  /** From the start of the process to the end of its first reply. */
  reply: async () => {
    const contender = await create({ calls: 0, words: 5 });
    await contender.send(await contender.createThread(), 'Go.');
    return { time: processorTime() };
  },
  /** Prints its thread and kills its own process before the model call after this many results. */
  kill: async () => {
    const onModelCall = (results: number) => void (results === count && process.kill(process.pid, 'SIGKILL'));
    const contender = await create({ calls: 2 * count, words: 5, onModelCall });
    const threadId = await contender.createThread();
    process.stdout.write(`${JSON.stringify({ threadId })}\n`);
    await contender.send(threadId, 'Go.');
    throw new Error('It should have been killed.');
  },
  /** From the start of the process to the next model call of a run that was killed. */
  resume: () => firstModelCall(contender => contender.resume(thread)),
  /** From the start of the process to the model call of a new message in a thread that others wrote. */
  continue: () => firstModelCall(contender => contender.send(thread, 'Go on.')),
};

const measure = measurements[what];
if (measure === undefined) throw new Error(`No measurement is called "${what}".`);
process.stdout.write(`${JSON.stringify(await measure())}\n`);
process.exit(0);
