import * as fc from 'fast-check';
import type { AgentEvent, LoggedEvent, ToolOutput } from '../../src/events/index.ts';

/** A run of the simulated conversation, and what is open in it. */
interface SimulatedRun {
  readonly runId: string;
  /** Whose words carry another run's id, as when a model's own events are passed on. */
  readonly voice: string;
  step: number;
  calls: { id: string; started: boolean; relay?: string }[];
  asked: string[];
}

type Move = (world: World, pick: number) => void;

/** Plays moves and writes down the events, as a log would hold them. */
class World {
  readonly events: LoggedEvent[] = [];
  readonly userMessages: { id: string; parent: string | undefined }[] = [];
  readonly runs: SimulatedRun[] = [];
  readonly open: SimulatedRun[] = [];
  /** Ids that a summary or a selection can name. */
  readonly nodes: string[] = [];
  #ids = 0;

  id(name: string): string {
    return `${name}-${++this.#ids}`;
  }

  emit(event: AgentEvent): void {
    const seq = this.events.length + 1;
    const ts = new Date(1_700_000_000_000 + seq * 250).toISOString();
    this.events.push({ ...event, seq, ts });
  }

  say(content: string, parentMessageId?: string): string {
    const runId = this.id('asked');
    this.emit({ type: 'user', runId, content, ...(parentMessageId !== undefined && { parentMessageId }) });
    this.userMessages.push({ id: `${runId}:user`, parent: parentMessageId });
    this.nodes.push(`${runId}:user`);
    return `${runId}:user`;
  }

  start(parentId: string | undefined, mixed: boolean): SimulatedRun {
    const runId = this.id('run');
    const run = { runId, voice: mixed ? `${runId}-model` : runId, step: -1, calls: [], asked: [] };
    this.emit({ type: 'harness_start', runId, agentId: 'agent', ...(parentId !== undefined && { parentId }) });
    this.runs.push(run);
    this.open.push(run);
    this.nodes.push(runId);
    return run;
  }
}

const pickFrom = <Value>(values: readonly Value[], pick: number): Value | undefined => values[pick % values.length];

/** A move of an open run; nothing happens when there is none. */
const inRun =
  (move: (world: World, run: SimulatedRun, pick: number) => void): Move =>
  (world, pick) => {
    const run = pickFrom(world.open, pick);
    if (run !== undefined) move(world, run, pick >>> 3);
  };

const words = (pick: number) => ['Yes. ', 'No. ', '', 'Looking… ', ' ', 'ünïcödé 😀 '][pick % 6] as string;
const outputs: readonly ToolOutput[] = [
  { context: 'fine' },
  { context: { lines: [1, 2] }, result: 2 },
  { status: 'denied', reason: 'not allowed' },
  { error: 'it broke' },
];

function speak(type: 'text' | 'reasoning'): Move {
  return inRun((world, run, pick) => {
    const id = `${run.voice}/${type}-${Math.max(0, run.step)}`;
    const parentId = run.voice === run.runId ? {} : { parentId: run.runId };
    world.emit({ type, runId: run.voice, id, content: words(pick), ...parentId });
    world.nodes.push(id);
  });
}

const moves: Record<string, Move> = {
  ask: (world, pick) => world.start(world.say(`Question ${pick}`), pick % 5 === 0),
  say: (world, pick) => world.say(words(pick)),
  steer: inRun((world, { runId }, pick) => world.emit({ type: 'user', runId, content: words(pick) })),
  unasked: (world, pick) => world.start(undefined, pick % 4 === 0),
  edit: (world, pick) => {
    const edited = pickFrom(world.userMessages, pick);
    if (edited !== undefined) world.start(world.say('Edited', edited.parent ?? ''), false);
  },
  retry: (world, pick) => {
    const asked = pickFrom(world.userMessages, pick);
    if (asked !== undefined) world.start(asked.id, false);
  },
  select: (world, pick) => {
    const nodeId = pickFrom(world.nodes, pick);
    if (nodeId !== undefined) world.emit({ type: 'branch_selected', runId: 'control', nodeId });
  },
  summarise: (world, pick) => {
    const from = pickFrom(world.nodes, pick);
    const to = pickFrom(world.nodes, pick >>> 4);
    if (from === undefined || to === undefined) return;
    const id = world.id('summary');
    world.emit({ type: 'summary', runId: 'control', id, covers: { from, to }, text: id, kind: 'compaction' });
    world.nodes.push(id);
  },
  fold: (world, pick) => {
    const nodeId = pickFrom(world.nodes, pick);
    if (nodeId !== undefined) world.emit({ type: 'collapsed', runId: 'control', nodeId, collapsed: (pick & 16) === 0 });
  },
  step: inRun((world, run) => {
    run.step++;
    world.emit({ type: 'step_start', runId: run.runId, step: run.step });
  }),
  crash: inRun((world, run) => {
    if (run.step < 0) return;
    run.calls = run.calls.filter(call => call.started);
    world.emit({ type: 'step_start', runId: run.runId, step: run.step });
  }),
  text: speak('text'),
  reasoning: speak('reasoning'),
  usage: inRun((world, run) => world.emit({ type: 'usage', runId: run.voice, inputTokens: 7, outputTokens: 3 })),
  call: inRun((world, run, pick) => {
    const id = `${run.runId}/${pick % 4 === 0 ? 'same' : world.id('call')}`;
    if (pick % 3 === 0) world.emit({ type: 'tool_input_delta', runId: run.runId, id, name: 'shell', delta: '{"a":' });
    world.emit({
      type: 'tool_call',
      runId: run.runId,
      id,
      name: pick % 7 === 0 ? 'odd name!' : 'shell',
      input: { pick },
    });
    run.calls.push({ id, started: false });
    world.nodes.push(id);
  }),
  permission: inRun((world, run, pick) => {
    const call = pickFrom(run.calls, pick);
    const id = world.id('relay');
    if (call === undefined)
      world.emit({ type: 'relay', runId: run.runId, id, relayKind: 'question', question: 'Which?' });
    else if (pick % 5 === 0)
      world.emit({ type: 'relay', runId: run.runId, id, relayKind: 'suspension', toolCallId: call.id, tool: 'shell' });
    else
      world.emit({
        type: 'relay',
        runId: run.runId,
        id,
        relayKind: 'permission',
        toolCallId: call.id,
        tool: 'shell',
        params: {},
      });
    run.asked.push(id);
  }),
  answer: inRun((world, run, pick) => {
    const relayId = run.asked.shift();
    if (relayId === undefined) return;
    const outcome = pick % 2 === 0 ? 'approve' : 'reject';
    world.emit({ type: 'relay_resolved', runId: run.runId, relayId, outcome });
  }),
  begin: inRun((world, run, pick) => {
    const call = pickFrom(run.calls, pick);
    if (call === undefined || call.started) return;
    call.started = true;
    world.emit({ type: 'tool_start', runId: run.runId, id: call.id, name: 'shell' });
  }),
  report: inRun((world, run, pick) => {
    const call = pickFrom(run.calls, pick);
    if (call === undefined) return;
    const id = `${call.id}:progress`;
    world.emit({ type: 'tool_progress', runId: run.runId, id, toolCallId: call.id, name: 'shell', content: pick });
  }),
  finish: inRun((world, run, pick) => {
    const call = pickFrom(run.calls, pick);
    if (call === undefined) return;
    run.calls = run.calls.filter(other => other !== call);
    const output = pickFrom(outputs, pick >>> 2) as ToolOutput;
    world.emit({ type: 'tool_result', runId: run.runId, id: call.id, name: 'shell', output });
  }),
  spawn: inRun((world, run, pick) => {
    const call = pickFrom(run.calls, pick);
    if (call !== undefined) world.start(call.id, pick % 6 === 0);
  }),
  execute: inRun((world, run, pick) => {
    const id = world.id('repl');
    world.emit({ type: 'repl_input', runId: run.runId, id, code: 'print(1)', iteration: 0 });
    if (pick % 2 === 0) world.emit({ type: 'repl_progress', runId: run.runId, id, chunk: '1', stream: 'stdout' });
    if (pick % 3 === 0) world.start(id, false);
    if (pick % 4 !== 0) world.emit({ type: 'repl_output', runId: run.runId, id, stdout: '1', done: false });
  }),
  fact: (world, pick) => {
    const runId = pickFrom(world.runs, pick)?.runId ?? 'control';
    world.emit({ type: 'warning', runId: pick % 2 === 0 ? runId : 'elsewhere', message: `careful ${pick}` });
  },
  mode: (world, pick) =>
    world.emit({ type: 'mode_changed', runId: 'control', modeId: pick % 2 === 0 ? 'plan' : 'build' }),
  duplicate: (world, pick) => {
    const event = pickFrom(world.events, pick);
    if (event !== undefined) world.events.push(event);
  },
  end: inRun((world, run, pick) => {
    world.open.splice(world.open.indexOf(run), 1);
    const reason = pick % 2 === 0 ? 'complete' : 'aborted';
    world.emit({ type: 'harness_end', runId: run.runId, agentId: 'agent', reason });
  }),
};

/** The events as an agent emits them, before the log gave them their place. */
export function unlogged(events: readonly AgentEvent[]): AgentEvent[] {
  return events.map(event => {
    const { seq: _seq, ...rest } = event;
    return rest;
  });
}

const names = Object.keys(moves);
const often = ['text', 'text', 'text', 'call', 'call', 'finish', 'finish', 'begin', 'step', 'usage', 'end', 'ask'];

/**
 * The log of one thread: people ask, edit, retry, select and summarise; runs interleave, start subagents, crash and
 * begin their step again; calls are asked about, denied, fail and stay open; some events are delivered twice.
 */
export function conversationLog(maxMoves = 60, minMoves = 0): fc.Arbitrary<LoggedEvent[]> {
  const move = fc.tuple(fc.constantFrom(...names, ...often), fc.nat(2 ** 16));
  return fc.array(move, { minLength: minMoves, maxLength: maxMoves }).map(played => {
    const world = new World();
    for (const [name, pick] of played) (moves[name] as Move)(world, pick);
    return world.events;
  });
}
