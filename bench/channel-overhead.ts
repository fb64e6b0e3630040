import { readdirSync, readFileSync } from 'node:fs';
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
  for (const file of recordingsOf(id)) plays.push(stepsOf(channel, file));
  const lines = plays.flatMap(({ steps }) => steps.filter(step => typeof step === 'string'));
  const { ours, peer } = await race(
    {
      ours: () => {
        for (const { steps, events } of plays) replay(channel, steps, events);
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

/** Plays a recording once; returns its steps, with the responses addressed to the requests of the channel. */
function stepsOf(live: Live, file: URL): Played {
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
  const step = (next: Step) => {
    steps.push(next);
    take(next);
    respondUnrecorded();
  };
  const respondUnrecorded = () => {
    for (const { id, kind } of open()) {
      const response = wire.unrecorded?.[String(kind)];
      if (response !== undefined) respond(id, response);
    }
  };
  const respond = (id: unknown, response: Message): void => {
    answered.add(id);
    return step(JSON.stringify(wire.withId(response, id)));
  };
  for (const message of wire.opening ?? []) step(JSON.stringify(message));
  respondUnrecorded();
  let prompts = 0;
  for (const { dir, line } of recordedLines(file)) {
    const message = messageOf(line);
    if (message === undefined) continue;
    if (dir === 'in') {
      const request = wire.request(message);
      if (request !== undefined) kinds.set(request.id, request.kind);
      if (wire.isPrompt(message) && state.isReady && !state.isOpen) step({ prompt: ++prompts });
      continue;
    }
    const recorded = wire.respondsTo(message);
    if (recorded === undefined) step(line);
    else {
      const ours = open().find(({ kind }) => kind === kinds.get(recorded));
      if (ours !== undefined) respond(ours.id, message);
    }
  }
  close();
  if (state.events === 0) throw new Error(`${file.pathname} was not played: ${state.problem || 'it emitted nothing'}`);
  return { steps, events: state.events };
}

function replay(live: Live, steps: readonly Step[], events: number): void {
  const { state, take, close } = openChannel(live);
  for (const step of steps) take(step);
  close();
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
