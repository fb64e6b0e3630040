import * as fc from 'fast-check';
import type { AgentEvent, EventOf, EventType } from '../../src/events/index.ts';

type Fields = Record<string, fc.Arbitrary<unknown>>;
type Make<Type extends EventType> = (runId: string) => fc.Arbitrary<EventOf<Type>>;

const runIds = ['run-a', 'run-b', 'run-c', 'run-d'] as const;
const calls = ['call-1', 'call-2', 'call-3'];
const streams = ['text-1', 'text-2', 'shared'];
const executions = ['repl-1', 'repl-2'];
const relays = ['relay-1', 'relay-2'];
const users = ['user-1', 'user-2', 'user-3'];

const word = fc.string({ unit: 'binary', maxLength: 12 });
const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 });
const order = fc.oneof(
  fc.nat(5),
  fc.double({ noDefaultInfinity: true, noNaN: true }).filter(n => !Object.is(n, -0)),
);
const json = fc.jsonValue({ maxDepth: 2 });
const object = fc.dictionary(word, json, { maxKeys: 3, noNullPrototype: true });
const count = fc.nat(1_000_000);
const time = fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map(date => date.toISOString());
const isoTime = fc.oneof(time, fc.constant('2025-03-01T12:00:00+01:00'));

/** Ids of one run; now and then two runs use the same one. */
const idOf = (runId: string, names: readonly string[]) =>
  fc.oneof(
    { arbitrary: fc.constantFrom(...names.map(name => `${runId}/${name}`)), weight: 9 },
    { arbitrary: fc.constantFrom(...names), weight: 1 },
  );

const optional: Fields = {
  ts: isoTime,
  sessionId: word,
  agentId: word,
  line: fc.integer({ min: 1, max: 9999 }),
  'x-extra': json,
};

/** One event of a type: the required fields always, the others and the envelope's sometimes. */
function event<Type extends EventType>(type: Type, runId: string, required: Fields, others: Fields = {}) {
  const envelope = fc.option(fc.record(optional, { requiredKeys: [], noNullPrototype: true }), { nil: {}, freq: 3 });
  const own = fc.record({ ...required, ...others }, { requiredKeys: Object.keys(required), noNullPrototype: true });
  return fc
    .tuple(envelope, own)
    .map(([rest, fields]) => ({ ...rest, type, runId, ...fields }) as unknown as EventOf<Type>);
}

const status = fc.constantFrom('draft', 'approved', 'executing', 'executed', 'failed');
const task = fc.record({ id: word, content: word, status: fc.constantFrom('pending', 'in_progress', 'completed') });
const part = fc.oneof(
  fc.record({ type: fc.constant('text'), text: word }),
  fc.record({ type: fc.constant('image'), data: fc.base64String(), mediaType: fc.constant('image/png') }),
  fc.record({ type: fc.constant('file'), data: fc.base64String(), mediaType: word, filename: word }),
);
const toolOutput = fc.oneof(
  fc.record({ context: json }),
  fc.record({ context: json, result: json }),
  fc.record({ status: fc.constant('denied'), reason: word }),
  fc.record({ error: word }),
);
const kind = (relayKind: string, fields: Fields) => fc.record({ relayKind: fc.constant(relayKind), ...fields });
const relayFields = (r: string) => {
  const toolCallId = idOf(r, calls);
  return fc.oneof(
    kind('permission', { toolCallId, tool: word, params: object }),
    kind('question', { question: word, options: fc.array(fc.record({ label: word }), { maxLength: 3 }) }),
    kind('plan', { planId: fc.constantFrom('plan-1', 'plan-2'), title: word, plan: word }),
    kind('suspension', { toolCallId, tool: word, payload: json }),
    kind('access', { params: object }),
  );
};

const makers: { readonly [Type in EventType]: Make<Type> } = {
  harness_start: r => event('harness_start', r, { agentId: word }, { model: word, cwd: word }),
  harness_end: r =>
    event('harness_end', r, { agentId: word }, { reason: fc.constantFrom('complete', 'aborted', 'error', 'timeout') }),
  model_context: r =>
    event(
      'model_context',
      r,
      {
        id: name,
        provider: word,
        tools: fc.array(fc.record({ id: name, tool: object }), { maxLength: 2 }),
        settings: object,
      },
      { instructions: word, maxOutputLength: count },
    ),
  step_start: r => event('step_start', r, { step: fc.nat(9) }, { callId: word, model: word, requestHash: word }),
  session: r => event('session', r, { sessionId: fc.constantFrom('s-1', 's-2') }, { cwd: word, model: word }),
  user: r =>
    event(
      'user',
      r,
      { content: fc.oneof(word, fc.array(part, { maxLength: 3 })) },
      { id: idOf(r, users), parentMessageId: idOf(r, users), by: word, automatic: fc.boolean() },
    ),
  text: r => event('text', r, { id: idOf(r, streams), content: word }, { callId: fc.constantFrom('c-1', 'c-2') }),
  reasoning: r => event('reasoning', r, { id: idOf(r, streams), content: word }, { callId: word }),
  tool_input_delta: r => event('tool_input_delta', r, { id: idOf(r, calls), delta: word }, { name: word }),
  tool_call: r => event('tool_call', r, { id: idOf(r, calls), name: word, input: json }),
  tool_start: r => event('tool_start', r, { id: idOf(r, calls), name: word }),
  tool_progress: r =>
    event('tool_progress', r, {
      id: idOf(r, ['report-1', 'report-2']),
      toolCallId: idOf(r, calls),
      name: word,
      content: json,
    }),
  tool_result: r => event('tool_result', r, { id: idOf(r, calls), name: word, output: toolOutput }),
  repl_input: r => event('repl_input', r, { id: idOf(r, executions), code: word }, { iteration: fc.nat(9) }),
  repl_progress: r =>
    event('repl_progress', r, {
      id: idOf(r, executions),
      chunk: word,
      stream: fc.constantFrom('stdout', 'stderr'),
    }),
  repl_output: r =>
    event(
      'repl_output',
      r,
      { id: idOf(r, executions), stdout: word, done: fc.boolean() },
      { error: word, iteration: fc.nat(9), durationMs: count, truncated: fc.boolean() },
    ),
  relay: r =>
    fc
      .tuple(event('relay', r, { id: idOf(r, relays) }, { expiresAt: isoTime }), relayFields(r))
      .map(([base, fields]) => ({ ...base, ...fields }) as EventOf<'relay'>),
  relay_resolved: r =>
    event(
      'relay_resolved',
      r,
      {
        relayId: idOf(r, relays),
        outcome: fc.constantFrom('approve', 'reject', 'revise', 'answer', 'expired', 'cancelled'),
      },
      {
        feedback: word,
        input: json,
        answer: fc.oneof(word, fc.array(word, { maxLength: 2 })),
        remember: fc.constantFrom('once', 'thread', 'category'),
        by: word,
      },
    ),
  plan_status: r =>
    event('plan_status', r, { planId: fc.constantFrom('plan-1', 'plan-2'), to: status }, { from: status }),
  tasks: r => event('tasks', r, { tasks: fc.array(task, { maxLength: 3 }) }, { restored: fc.boolean() }),
  summary: r =>
    event('summary', r, {
      id: idOf(r, ['summary-1', 'summary-2']),
      covers: fc.record({ from: idOf(r, users), to: idOf(r, [...users, ...streams]) }),
      text: word,
      kind: fc.constantFrom('compaction', 'observation', 'reflection'),
    }),
  usage: r =>
    event(
      'usage',
      r,
      { inputTokens: count, outputTokens: count },
      { cacheReadTokens: count, cacheWriteTokens: count, reasoningTokens: count, model: word, cost: count },
    ),
  error: r =>
    event(
      'error',
      r,
      { message: word },
      { code: word, fatal: fc.boolean(), retryable: fc.boolean(), retryAfterMs: count },
    ),
  warning: r => event('warning', r, { message: word }, { code: word }),
  file_registered: r =>
    event(
      'file_registered',
      r,
      { id: idOf(r, ['file-1', 'file-2']), path: word },
      { mediaType: word, size: count, toolCallId: idOf(r, calls) },
    ),
  unknown: r => event('unknown', r, { raw: json }),
  custom: r => event('custom', r, { name: fc.constantFrom('ping', 'pong'), data: json }),
  mode_changed: r => event('mode_changed', r, { modeId: fc.constantFrom('plan', 'build') }, { previousModeId: word }),
  model_changed: r =>
    event('model_changed', r, { modelId: word }, { scope: fc.constantFrom('global', 'thread', 'mode'), modeId: word }),
  grant_revoked: r => event('grant_revoked', r, { relayId: idOf(r, relays) }, { by: word }),
  folder_changed: r => event('folder_changed', r, { folder: name }, { note: word }),
  branch_selected: r => event('branch_selected', r, { nodeId: idOf(r, users) }),
  collapsed: r => event('collapsed', r, { nodeId: idOf(r, [...users, ...calls]), collapsed: fc.boolean() }),
  abort_requested: r => event('abort_requested', r, {}, { by: word }),
  run_requested: r => event('run_requested', r, { agentId: name, parentId: idOf(r, users) }, { model: word }),
  message_queued: r =>
    event(
      'message_queued',
      r,
      { id: idOf(r, users), content: word, delivery: fc.constantFrom('steer', 'follow_up'), agent: name, order },
      { waitsFor: fc.constantFrom(...runIds), by: word, model: word, mode: name },
    ),
  message_changed: r => event('message_changed', r, { id: idOf(r, users) }, { content: word, order }),
  message_withdrawn: r => event('message_withdrawn', r, { id: idOf(r, users) }),
  steer_requested: r => event('steer_requested', r, { id: idOf(r, users), content: word }, { by: word }),
};

const anyOf = (runId: string): fc.Arbitrary<AgentEvent> =>
  fc.oneof(...Object.values(makers).map(make => make(runId) as fc.Arbitrary<AgentEvent>));

/** An event about a message that waits, a run that is requested, or what a model is sent beside messages. */
export function recordEvent(): fc.Arbitrary<AgentEvent> {
  const types = [
    'run_requested',
    'message_queued',
    'message_changed',
    'message_withdrawn',
    'steer_requested',
    'model_context',
  ] as const;
  return fc
    .tuple(fc.constantFrom(...types), fc.constantFrom(...runIds))
    .chain(([type, runId]) => makers[type](runId) as fc.Arbitrary<AgentEvent>);
}

/** Any one valid event, of any type and run, its `parentId` unrelated to anything. */
export function agentEvent(): fc.Arbitrary<AgentEvent> {
  const parentId = fc.option(idOf('run-a', [...calls, ...executions, ...users]), { nil: undefined, freq: 3 });
  return fc
    .tuple(fc.oneof(...runIds.map(anyOf)), parentId)
    .map(([event, parent]) => (parent === undefined ? event : { ...event, parentId: parent }));
}

/** These fields on the events, and some events left out, never the first: calls without results, and so on. */
const someWith = <Choice>(
  choice: fc.Arbitrary<Choice>,
  fieldsOf: (choice: Choice) => object[],
  ...events: fc.Arbitrary<AgentEvent>[]
): fc.Arbitrary<AgentEvent[]> =>
  fc.tuple(choice, fc.tuple(...events), fc.nat(2 ** events.length - 1)).map(([chosen, all, skip]) => {
    const fields = fieldsOf(chosen);
    return all
      .map((event, index) => Object.assign({}, event, fields[index]))
      .filter((_, index) => index === 0 || (skip & (1 << index)) === 0);
  });

/** What a run does next: a burst of fragments, a tool call, an execution, a question, or any one event. */
function turn(r: string): fc.Arbitrary<AgentEvent[]> {
  const burst = (make: fc.Arbitrary<AgentEvent>, names: string[]) =>
    fc
      .tuple(idOf(r, names), fc.array(make, { minLength: 1, maxLength: 4 }))
      .map(([id, events]) => events.map(event => Object.assign({}, event, { id })));
  const tool = someWith(
    fc.tuple(idOf(r, calls), idOf(r, relays)),
    ([id, relayId]) => [
      { id },
      { relayKind: 'permission', id: relayId, toolCallId: id, tool: 'shell', params: {} },
      { relayId },
      { id },
      { toolCallId: id },
      { id },
    ],
    makers.tool_call(r),
    makers.relay(r),
    makers.relay_resolved(r),
    makers.tool_start(r),
    makers.tool_progress(r),
    makers.tool_result(r),
  );
  const execution = someWith(
    idOf(r, executions),
    id => [{ id }, { id }, { id }, { id }],
    makers.repl_input(r),
    makers.repl_progress(r),
    makers.repl_progress(r),
    makers.repl_output(r),
  );
  const asked = someWith(idOf(r, relays), id => [{ id }, { relayId: id }], makers.relay(r), makers.relay_resolved(r));
  return fc.oneof(
    burst(makers.text(r), streams),
    burst(makers.reasoning(r), streams),
    burst(makers.tool_input_delta(r), calls),
    tool,
    execution,
    asked,
    makers.user(r).map(event => [event]),
    { arbitrary: anyOf(r).map(event => [event]), weight: 5 },
  );
}

/** One run, caused by a node of an earlier run or by nothing; `parentId` is on all its events or on the first only. */
function run(index: number): fc.Arbitrary<AgentEvent[]> {
  const runId = runIds[index] as string;
  const causes = runIds
    .slice(0, index)
    .flatMap(earlier => [...calls, ...executions, ...users].map(name => `${earlier}/${name}`));
  const parent =
    causes.length === 0 ? fc.constant(undefined) : fc.option(fc.constantFrom(...causes), { nil: undefined });
  const edges = fc.record({ start: fc.boolean(), end: fc.boolean(), everywhere: fc.boolean(), parent });
  return fc
    .tuple(edges, makers.harness_start(runId), makers.harness_end(runId), fc.array(turn(runId), { maxLength: 6 }))
    .map(([{ start, end, everywhere, parent: parentId }, first, last, turns]) => {
      const events: AgentEvent[] = [...(start ? [first] : []), ...turns.flat(), ...(end ? [last] : [])];
      if (parentId === undefined) return events;
      return events.map((event, at) => (everywhere || at === 0 ? { ...event, parentId } : event));
    });
}

const runs = runIds.map((_, index) => run(index));

/** Takes the next event from one of the lists, as the picks say, until all are empty; each list keeps its order. */
function interleave(lists: readonly AgentEvent[][], picks: readonly number[]): AgentEvent[] {
  const merged: AgentEvent[] = [];
  const rest = lists.map(list => [...list]);
  for (let step = 0; ; step++) {
    const open = rest.filter(list => list.length > 0);
    const next = open[(picks[step % picks.length] ?? 0) % open.length]?.shift();
    if (next === undefined) return merged;
    merged.push(next);
  }
}

/**
 * The events of one thread: up to four runs, interleaved, all event types, subagent runs whose `parentId` names a
 * call, an execution or a user node of an earlier run, which may come later or never; repeated ids; relays with and
 * without answers. Events have no `seq`.
 */
export function eventStream(): fc.Arbitrary<AgentEvent[]> {
  const [first = fc.constant([]), ...others] = runs;
  return fc
    .tuple(
      first,
      fc.tuple(...others.map(other => fc.option(other, { nil: [], freq: 2 }))),
      fc.array(fc.nat(11), { maxLength: 40 }),
    )
    .map(([main, more, picks]) => interleave([main, ...more], picks));
}
