import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { CliAdapter } from 'singletree/agents';
import { type Message, type Wire, wires } from './channel-wires.ts';
import { race } from './measure.ts';
import type { Result } from './result.ts';

type Live = NonNullable<CliAdapter['live']>;
/** A line of the program, or a prompt for it. */
type Step = string | { readonly prompt: number };

interface Played {
  readonly steps: readonly Step[];
  /** How many events it emitted. */
  readonly events: number;
}

const fixtures = new URL('../../test/cli-agents/channels/fixtures/', import.meta.url);
const scenarios = /^(approve|always|always-files|permission|parallel|parallel-approvals|text-two-turns)\.jsonl$/;

/** Measures the handling of recorded messages in the channel of an agent, against reading them as JSON. */
export async function channelOverhead({ id, live }: CliAdapter): Promise<Result> {
  const channel = live as Live;
  const plays: Played[] = [];
  for (const file of recordingsOf(id)) plays.push(await stepsOf(channel, file));
  const lines = plays.flatMap(({ steps }) => steps.filter(step => typeof step === 'string'));
  const { ours, peer } = await race(
    {
      ours: async () => {
        for (const { steps, events } of plays) await replay(channel, steps, events);
      },
      peer: () => {
        for (const line of lines) JSON.parse(line);
      },
    },
    { warmups: 5, rounds: 20, repeat: 5, measure: 'cpu' },
  );
  const claim = `${id}: a message of its channel (${channel.protocol}) vs JSON.parse`;
  return { claim, size: `${lines.length} messages`, unit: 'ms', ours, peer };
}

function recordingsOf(id: string): URL[] {
  return readdirSync(fixtures)
    .filter(folder => folder.startsWith(`${id}@`))
    .flatMap(folder =>
      readdirSync(new URL(`${folder}/`, fixtures))
        .filter(file => scenarios.test(file) && !file.includes('.expected.'))
        .map(file => new URL(`${folder}/${file}`, fixtures)),
    );
}

/** A channel whose requests are all approved at once. */
function openChannel(live: Live) {
  const state = { isReady: false, isOpen: false, events: 0, sent: [] as string[], problem: '' };
  const channel = live.channel(
    {
      send: message => void state.sent.push(message),
      ready: () => (state.isReady = true),
      failed: ({ message }) => (state.problem = message),
      emit: events => (state.events += events.length),
      request: request => channel.answer(request.id, { outcome: 'approve' }),
      withdraw: () => {},
      steered: () => {},
      turnEnded: () => (state.isOpen = false),
      after: () => () => {},
    },
    { cwd: '$CWD', folder: '$TMP/session', environment: {} },
  );
  channel.open();
  let number = 0;
  const take = (step: Step) => {
    if (typeof step === 'string') return channel.receive(step, ++number);
    state.isOpen = true;
    channel.prompt({ runId: `run${step.prompt}`, content: 'go' });
  };
  return { state, take, close: () => channel.closed() };
}

/** Waits for what a channel does without its host: a library may be loaded, and works in microtasks. */
async function settled(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** Plays a recording once; returns its steps, with the responses addressed to the requests of the channel. */
async function stepsOf(live: Live, file: URL): Promise<Played> {
  const wire = wires[live.protocol] as Wire;
  const { state, take, close } = openChannel(live);
  const steps: Step[] = [];
  const kinds = new Map<unknown, unknown>();
  const answered = new Set<unknown>();
  const open = () =>
    state.sent.flatMap(text => {
      const request = wire.request(JSON.parse(text) as Message);
      return request === undefined || answered.has(request.id) ? [] : [request];
    });
  const step = async (next: Step) => {
    steps.push(next);
    take(next);
    await settled();
    await respondUnrecorded();
  };
  const respondUnrecorded = async () => {
    for (const { id, kind } of open()) {
      const response = wire.unrecorded?.[String(kind)];
      if (response !== undefined) await respond(id, response);
    }
  };
  const respond = (id: unknown, response: Message): Promise<void> => {
    answered.add(id);
    return step(JSON.stringify(wire.withId(response, id)));
  };
  while (state.sent.length === 0 && wire.opening === undefined) await setImmediate();
  for (const message of wire.opening ?? []) await step(JSON.stringify(message));
  await respondUnrecorded();
  let prompts = 0;
  for (const { dir, line } of recordedLines(file)) {
    const message = messageOf(line);
    if (message === undefined) continue;
    if (dir === 'in') {
      const request = wire.request(message);
      if (request !== undefined) kinds.set(request.id, request.kind);
      if (wire.isPrompt(message) && state.isReady && !state.isOpen) await step({ prompt: ++prompts });
      continue;
    }
    const recorded = wire.respondsTo(message);
    if (recorded === undefined) await step(line);
    else {
      const ours = open().find(({ kind }) => kind === kinds.get(recorded));
      if (ours !== undefined) await respond(ours.id, message);
    }
  }
  await close();
  if (state.events === 0) throw new Error(`${file.pathname} was not played: ${state.problem || 'it emitted nothing'}`);
  return { steps, events: state.events };
}

async function replay(live: Live, steps: readonly Step[], events: number): Promise<void> {
  const isAsync = live.protocol === 'ACP';
  const { state, take, close } = openChannel(live);
  if (isAsync) while (state.sent.length === 0) await setImmediate();
  for (const step of steps) {
    // The library of the protocol handles messages in microtasks: what the client does next depends on them.
    if (isAsync && (typeof step !== 'string' || !state.isOpen)) await settled();
    take(step);
  }
  if (isAsync) await settled();
  await close();
  if (state.events !== events) throw new Error(`Emitted ${state.events} events instead of ${events}.`);
}

function recordedLines(file: URL): { dir: string; line: string }[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(text => text !== '')
    .map(text => JSON.parse(text) as { dir: string; line: string });
}

/** A line as a message; undefined for what a program prints beside its messages. */
function messageOf(line: string): Message | undefined {
  return line.startsWith('{') ? (JSON.parse(line) as Message) : undefined;
}
