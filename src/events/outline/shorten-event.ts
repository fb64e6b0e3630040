import type { AgentEvent, EventOf } from '../vocabulary.ts';

/** How many characters of a message, of the arguments of a call and of a relay are kept. */
const mostText = 4_096;
const mostRelay = 65_536;

/** A user message; one that is long is kept without its content. */
export function shortenUser(event: EventOf<'user'>): AgentEvent {
  return getSize(event) <= mostText ? event : { ...event, content: '' };
}

/** Returns the start event of a run without the fields that only the run itself needs. */
export function shortenStart(event: EventOf<'harness_start'>): AgentEvent {
  const { type, runId, parentId, agentId, model, cwd, memory, seq, ts } = event;
  return {
    type,
    runId,
    agentId,
    ...(parentId !== undefined && { parentId }),
    ...(model !== undefined && { model }),
    ...(cwd !== undefined && { cwd }),
    ...(memory !== undefined && { memory }),
    ...getPlace({ seq, ts }),
  };
}

/** The first event of a run that did not report its start. */
export function firstSight({ runId, parentId, agentId, seq, ts }: AgentEvent): AgentEvent {
  const caused = parentId !== undefined && { parentId };
  return { type: 'session', runId, sessionId: '', ...caused, ...(agentId && { agentId }), ...getPlace({ seq, ts }) };
}

/** A call or an execution; one with long arguments is kept without them. */
export function shortenCall(event: EventOf<'tool_call'> | EventOf<'repl_input'>): AgentEvent {
  if (getSize(event) <= mostText) return event;
  return event.type === 'tool_call' ? { ...event, input: {} } : { ...event, code: '' };
}

/** The result of a call; one that is long is kept without its output. */
export function shortenResult(event: EventOf<'tool_result'>): AgentEvent {
  return getSize(event) <= mostText ? event : { ...event, output: { context: '' } };
}

/** A relay; one with long parameters is kept without them. */
export function shortenRelay(event: EventOf<'relay'>): AgentEvent {
  return getSize(event) <= mostRelay ? event : ({ ...event, params: {} } as AgentEvent);
}

/** Returns the first event of a stream of fragments without its content. */
export function shortenFragment(
  event: EventOf<'text'> | EventOf<'reasoning'> | EventOf<'tool_input_delta'>,
): AgentEvent {
  const { runId, id, seq, ts } = event;
  const place = getPlace({ seq, ts });
  if (event.type !== 'tool_input_delta') return { type: event.type, runId, id, content: '', ...place };
  return {
    type: 'tool_input_delta',
    runId,
    id,
    delta: '',
    ...(event.name !== undefined && { name: event.name }),
    ...place,
  };
}

function getPlace({ seq, ts }: { readonly seq: number | undefined; readonly ts: string | undefined }) {
  return { ...(seq !== undefined && { seq }), ...(ts !== undefined && { ts }) };
}

function getSize(event: AgentEvent): number {
  return JSON.stringify(event).length;
}
