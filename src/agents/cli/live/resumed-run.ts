import type { AgentEvent, EventOf } from '../../../events/vocabulary.ts';
import type { RelayState, RunState } from '../../../projections/run-state.ts';
import type { Answers } from '../../contract/host.ts';

/** The state of a run whose process ended, and the prompt that resumes it. */
export interface ResumedRun {
  /** The program's session, when it was reported. */
  readonly sessionId: string | undefined;
  /** The unanswered relays; no process waits for their answers. */
  readonly openRelays: readonly EventOf<'relay'>[];
  /** Approvals of calls that did not run. */
  readonly unused: readonly RelayState[];
  /** The results of open calls and the ends of open subagents. */
  readonly closing: readonly AgentEvent[];
  /** The message that asks the model to continue. */
  readonly prompt: string;
}

export const notRun = 'The call did not run: the process of the agent ended before.';
const unknownOutcome =
  'The outcome of this call is unknown: the process of the agent ended while it ran. It was not run again; check what it did before repeating it.';

/** Describes a run after its process ended. A call with an open request did not run; a started one never runs again. */
export function resumedRun(state: RunState): ResumedRun {
  const runs = listFamily(state);
  const skipped: string[] = [];
  const unknown: string[] = [];
  const unused: RelayState[] = [];
  const closing: AgentEvent[] = [];
  const openRelays = runs.flatMap(run =>
    [...run.relays.values()].filter(({ answer }) => answer === undefined).map(({ relay }) => relay),
  );
  for (const run of runs) {
    for (const { call, started, relays } of openCalls(run)) {
      const hasRun = started && relays.every(({ answer }) => answer !== undefined);
      const isAsked = relays.length > 0;
      const isUnknown = hasRun || !isAsked;
      const name = describe(call);
      (isUnknown ? unknown : skipped).push(name);
      if (!isUnknown) unused.push(...relays.filter(({ answer }) => isApproval(answer)));
      const output = { error: isUnknown ? unknownOutcome : notRun };
      closing.push({ type: 'tool_result', runId: run.runId, id: call.id, name: call.name, output });
    }
    if (run !== state && run.endedBy === undefined)
      closing.push({
        type: 'harness_end',
        runId: run.runId,
        agentId: run.agentId ?? 'unknown',
        reason: 'interrupted',
      });
  }
  const session = state.events.findLast(event => event.sessionId !== undefined);
  return { sessionId: session?.sessionId, openRelays, unused, closing, prompt: promptFor(skipped, unknown) };
}

/** Cancels the open relays and yields the events that close the open calls and subagents. */
export async function* closingEvents(
  { openRelays, closing }: ResumedRun,
  answers: Pick<Answers, 'cancel'> | undefined,
): AsyncGenerator<AgentEvent> {
  for (const relay of openRelays)
    if (answers?.cancel !== undefined) await answers.cancel(relay, notRun);
    else
      yield { type: 'relay_resolved', runId: relay.runId, relayId: relay.id, outcome: 'cancelled', feedback: notRun };
  yield* closing;
}

function promptFor(skipped: readonly string[], unknown: readonly string[]): string {
  const parts = ['The program was stopped while you were working, and has been started again.'];
  if (skipped.length > 0) parts.push(`These calls did not run: ${skipped.join('; ')}.`);
  if (unknown.length > 0)
    parts.push(
      `The outcome of these calls is unknown; check what they did before you repeat one: ${unknown.join('; ')}.`,
    );
  return [...parts, 'Continue.'].join(' ');
}

/** The run and the runs that it and they started, children first. */
function listFamily(state: RunState): RunState[] {
  return [...[...state.children.values()].flat().flatMap(listFamily), state];
}

interface OpenCall {
  readonly call: EventOf<'tool_call'>;
  readonly started: boolean;
  /** The requests for permission about it. */
  readonly relays: readonly RelayState[];
}

function openCalls({ events, relays }: RunState): OpenCall[] {
  const calls = new Map<string, EventOf<'tool_call'>>();
  const started = new Set<string>();
  for (const event of events) {
    if (event.type === 'tool_call') calls.set(event.id, event);
    else if (event.type === 'tool_start') started.add(event.id);
    else if (event.type === 'tool_result') calls.delete(event.id);
  }
  return [...calls.values()].map(call => ({
    call,
    started: started.has(call.id),
    relays: [...relays.values()].filter(({ relay }) => relay.toolCallId === call.id),
  }));
}

function isApproval(answer: EventOf<'relay_resolved'> | undefined): boolean {
  return answer?.outcome === 'approve' || answer?.outcome === 'revise';
}

function describe({ name, input }: EventOf<'tool_call'>): string {
  const text = JSON.stringify(input) ?? '';
  return `${name} ${text.length > 500 ? `${text.slice(0, 500)}…` : text}`;
}
