import * as fc from 'fast-check';
import type { AgentEvent, LoggedEvent, ToolOutput } from '../../src/events/index.ts';

interface Call {
  readonly id: string;
  started: boolean;
  relay?: string | undefined;
}

interface Run {
  readonly runId: string;
  readonly depth: number;
  step: number;
  /** How many call ids are taken, and how many the attempt under way uses. */
  kept: number;
  made: number;
  /** Whether the model call of the step ended. */
  complete: boolean;
  calls: Call[];
  relays: string[];
}

const outputs: readonly ToolOutput[] = [
  { context: 'fine' },
  { context: 'for the model', result: { rows: 3 } },
  { status: 'denied', reason: 'not allowed' },
  { error: 'it broke' },
];
const outcomes = ['approve', 'reject', 'revise', 'expired', 'cancelled', 'answer'] as const;
const reports = [
  'half way',
  { label: 'Resolving', phaseIndex: 2, totalPhases: 4, milestone: { matched: 1 } },
  { phaseIndex: 1 },
  7,
  null,
  { percent: 40 },
];
const endings = ['complete', 'max_iterations', 'aborted', 'timeout', 'interrupted'] as const;

/** Plays one request in the order in which our loop emits; everything it writes is legal. */
class Play {
  readonly events: LoggedEvent[] = [];
  readonly open: Run[] = [];
  #ids = 0;

  id(name: string): string {
    return `${name}${++this.#ids}`;
  }

  emit(event: AgentEvent): void {
    const seq = this.events.length + 1;
    this.events.push({ ...event, seq, ts: new Date(1_700_000_000_000 + seq * 100).toISOString() });
  }

  begin(depth: number, parentId?: string): void {
    const runId = this.id('run-');
    this.open.push({ runId, depth, step: -1, kept: 0, made: 0, complete: true, calls: [], relays: [] });
    this.emit({
      type: 'harness_start',
      runId,
      agentId: depth === 0 ? 'main' : `helper-${depth}`,
      ...(parentId !== undefined && { parentId }),
    });
  }

  end(run: Run, reason: (typeof endings)[number] | 'error'): void {
    this.open.splice(this.open.indexOf(run), 1);
    this.emit({ type: 'harness_end', runId: run.runId, agentId: 'any', reason });
  }
}

type Move = (play: Play, run: Run, pick: number) => void;
const from = <Value>(values: readonly Value[], pick: number) => values[pick % values.length] as Value;

/** A move that needs a call of the run. */
const ofCall =
  (move: (play: Play, run: Run, call: Call, pick: number) => void): Move =>
  (play, run, pick) => {
    const call = run.calls[pick % Math.max(1, run.calls.length)];
    if (call !== undefined) move(play, run, call, pick >>> 3);
  };

/** The ids of the attempt are taken for good: only those of an attempt that is replaced are used again. */
function keep(run: Run): void {
  run.kept += run.made;
  run.made = 0;
}

function forget(run: Run): void {
  run.calls = run.calls.filter(call => call.started || call.relay !== undefined);
}

const moves: Record<string, Move> = {
  step: (play, run) => {
    run.step++;
    keep(run);
    run.complete = false;
    play.emit({ type: 'step_start', runId: run.runId, step: run.step, model: 'scripted/one' });
  },
  /** The model is asked again: the connection broke, or another process went on with the run. */
  again: (play, run, pick) => {
    if (run.step < 0 || run.complete) return;
    if (pick % 2 === 0) play.emit({ type: 'warning', runId: run.runId, message: 'Trying again.' });
    forget(run);
    run.made = 0;
    play.emit({ type: 'step_start', runId: run.runId, step: run.step });
  },
  text: (play, run, pick) =>
    play.emit({ type: 'text', runId: run.runId, id: `${run.runId}/${run.step}/${pick % 2}`, content: `${pick} ` }),
  reasoning: (play, run, pick) =>
    play.emit({ type: 'reasoning', runId: run.runId, id: `${run.runId}/${run.step}/r`, content: `${pick}? ` }),
  call: (play, run, pick) => {
    if (run.complete) return;
    const { runId } = run;
    const id = `${runId}/c${run.kept + run.made++}`;
    if (pick % 2 === 0) play.emit({ type: 'tool_input_delta', runId, id, name: 'shell', delta: '{' });
    if (pick % 5 === 0) return;
    play.emit({ type: 'tool_call', runId, id, name: pick % 3 === 0 ? 'agent' : 'shell', input: { task: `${pick}` } });
    run.calls.push({ id, started: false });
  },
  usage: (play, run, pick) => {
    keep(run);
    run.complete = true;
    play.emit({
      type: 'usage',
      runId: run.runId,
      inputTokens: pick % 100,
      outputTokens: pick % 7,
      finishReason: 'stop',
    });
  },
  ask: ofCall((play, run, call) => {
    if (call.started || call.relay !== undefined || !run.complete) return;
    const relay = play.id('relay-');
    call.relay = relay;
    run.relays.push(relay);
    const { runId } = run;
    play.emit({
      type: 'relay',
      runId,
      id: relay,
      relayKind: 'permission',
      toolCallId: call.id,
      tool: 'shell',
      params: {},
    });
  }),
  plan: (play, run, pick) => {
    const relay = play.id('relay-');
    run.relays.push(relay);
    const planId = `plan-${pick % 2}`;
    play.emit({ type: 'relay', runId: run.runId, id: relay, relayKind: 'plan', planId, plan: 'Do it.' });
  },
  status: (play, run, pick) =>
    play.emit({
      type: 'plan_status',
      runId: run.runId,
      planId: `plan-${pick % 2}`,
      to: from(['approved', 'executed'], pick),
    }),
  answer: (play, run, pick) => {
    const relayId = run.relays.shift();
    if (relayId === undefined) return;
    play.emit({ type: 'relay_resolved', runId: run.runId, relayId, outcome: from(outcomes, pick) });
  },
  begin: ofCall((play, run, call) => {
    if (call.started || !run.complete) return;
    call.started = true;
    play.emit({ type: 'tool_start', runId: run.runId, id: call.id, name: 'shell' });
  }),
  report: ofCall((play, run, call, pick) => {
    const { runId } = run;
    const id = play.id('report-');
    play.emit({ type: 'tool_progress', runId, id, toolCallId: call.id, name: 'shell', content: from(reports, pick) });
  }),
  spawn: ofCall((play, run, call) => {
    if (call.started && run.depth < 3) play.begin(run.depth + 1, call.id);
  }),
  result: ofCall((play, run, call, pick) => {
    if (!run.complete) return;
    run.calls = run.calls.filter(other => other !== call);
    play.emit({ type: 'tool_result', runId: run.runId, id: call.id, name: 'shell', output: from(outputs, pick) });
  }),
  execute: (play, run, pick) => {
    const { runId } = run;
    const id = `${runId}/${play.id('repl-')}`;
    play.emit({ type: 'repl_input', runId, id, code: 'print(1)' });
    if (pick % 2 === 0) play.emit({ type: 'repl_progress', runId, id, chunk: '1', stream: 'stdout' });
    if (pick % 3 !== 0) play.emit({ type: 'repl_output', runId, id, stdout: '1', done: pick % 2 === 0 });
  },
  other: (play, run, pick) => {
    const { runId } = run;
    if (pick % 4 === 0)
      play.emit({ type: 'custom', runId, name: from(['ping', 'flow-ui', 'agent'], pick), data: { dsl: 'x' } });
    else if (pick % 4 === 1) play.emit({ type: 'file_registered', runId, id: play.id('file-'), path: 'out.txt' });
    else if (pick % 4 === 2) play.emit({ type: 'user', runId, content: 'also this' });
    else play.emit({ type: 'error', runId, message: 'not fatal' });
  },
  stranger: play => play.emit({ type: 'text', runId: 'elsewhere', id: 'elsewhere/1', content: 'not of this request' }),
  fail: (play, run) => {
    play.emit({ type: 'error', runId: run.runId, message: 'gone', code: 'model_error', fatal: true });
    play.end(run, 'error');
  },
  end: (play, run, pick) => play.end(run, from(endings, pick)),
};

const often = [
  'step',
  'text',
  'text',
  'call',
  'call',
  'usage',
  'usage',
  'begin',
  'begin',
  'spawn',
  'result',
  'result',
  'ask',
  'answer',
];
const rare = new Set(['fail', 'end']);
const names = [...Object.keys(moves).filter(name => !rare.has(name)), ...often, ...often];

/**
 * The log of one request, legal from the first event to the last: steps that are repeated, tools side by side, with and
 * without approval, subagents up to three deep, some of which outlive their call, failures, stops; it may break off
 * anywhere.
 */
export function requestLog(maxMoves = 80): fc.Arbitrary<LoggedEvent[]> {
  const name = fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(...names) },
    { weight: 1, arbitrary: fc.constantFrom('fail', 'end') },
  );
  return fc.array(fc.tuple(name, fc.nat(2 ** 16)), { maxLength: maxMoves }).map(played => {
    const play = new Play();
    play.begin(0);
    for (const [move, pick] of played) {
      const run = play.open[(pick >>> 8) % Math.max(1, play.open.length)];
      if (run !== undefined) (moves[move] as Move)(play, run, pick & 255);
    }
    return play.events;
  });
}
