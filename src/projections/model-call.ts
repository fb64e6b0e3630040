import { defined } from '../base/defined.ts';
import type { EventOf, LoggedEvent } from '../events/vocabulary.ts';
import type { Message } from './message.ts';
import { projectReport, projectRequest, type SentRequest } from './model-input/project-request.ts';

type Step = LoggedEvent & EventOf<'step_start'>;

/** The difference from the previous call. */
export interface CallDifference {
  /** The event that began the call before. */
  readonly seq: number;
  /** How many of the first messages are the same: a provider can read these from its cache. */
  readonly sameMessages: number;
  /** How many messages the call before had. */
  readonly messagesBefore: number;
  /** The other parts of the request that changed. */
  readonly changed: readonly ('model' | 'instructions' | 'settings' | 'tools')[];
}

/** One model call: the exact request, the answer, and its usage and time. */
export interface ModelCall {
  readonly seq: number;
  readonly runId: string;
  readonly step: number;
  readonly attempt?: number;
  readonly model?: string;
  /** The request; absent when the log does not have it. */
  readonly request?: SentRequest;
  /** The settings and tools that an external program reported, which are not the request itself. */
  readonly report?: Pick<SentRequest, 'settings' | 'tools'>;
  readonly difference?: CallDifference;
  readonly answer: {
    readonly reasoning: string;
    readonly text: string;
    readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  };
  readonly usage?: Omit<EventOf<'usage'>, 'type' | 'runId'>;
  /** Milliseconds until the first words or call, and until the end. */
  readonly firstMs?: number;
  readonly wholeMs?: number;
  readonly problem?: string;
}

const partsOfCall: ReadonlySet<string> = new Set(['step_start', 'text', 'reasoning', 'tool_input_delta', 'usage']);

/** Returns the model call that an event belongs to, from all events of its thread; undefined when it belongs to none. */
export function projectModelCall(events: readonly LoggedEvent[], seq: number): ModelCall | undefined {
  const at = events.findIndex(event => event.seq === seq);
  const event = events[at];
  if (event === undefined || !partsOfCall.has(event.type)) return undefined;
  const start = events.findLastIndex((each, index) => index <= at && isStep(each) && each.runId === event.runId);
  const step = events[start];
  if (step === undefined || !isStep(step)) return undefined;
  const request = projectRequest(events, step);
  const report = projectReport(events, step);
  const before = findStepBefore(events, start);
  const sentBefore = before && projectRequest(events, before);
  return {
    seq: step.seq,
    runId: step.runId,
    step: step.step,
    ...defined({ attempt: step.attempt, model: step.model, request, report }),
    ...(request && before && sentBefore && { difference: compare(request, sentBefore, before.seq) }),
    ...readAnswer(events, start, step),
  };
}

function isStep(event: LoggedEvent): event is Step {
  return event.type === 'step_start';
}

/** The call before: of the same run, or the last of an earlier run of the same agent that answered a person. */
function findStepBefore(events: readonly LoggedEvent[], start: number): Step | undefined {
  const { runId } = events[start] as Step;
  const earlier = events.slice(0, start);
  const own = earlier.findLast((event): event is Step => isStep(event) && event.runId === runId);
  if (own !== undefined) return own;
  const agents = new Map(
    earlier.flatMap(event =>
      event.type === 'harness_start' && (event.runId === runId || event.parentId?.endsWith(':user') === true)
        ? [[event.runId, event.agentId] as const]
        : [],
    ),
  );
  const agentId = agents.get(runId);
  return earlier.findLast(
    (event): event is Step => isStep(event) && agentId !== undefined && agents.get(event.runId) === agentId,
  );
}

function compare(sent: SentRequest, before: SentRequest, seq: number): CallDifference {
  const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
  const other = sent.messages.findIndex((message: Message, index) => !isSame(message, before.messages[index]));
  const changed = (['model', 'instructions', 'settings', 'tools'] as const).filter(
    name => !isSame(sent[name], before[name]),
  );
  return {
    seq,
    sameMessages: other < 0 ? sent.messages.length : other,
    messagesBefore: before.messages.length,
    changed,
  };
}

function readAnswer(
  events: readonly LoggedEvent[],
  start: number,
  step: Step,
): Omit<ModelCall, keyof Step | 'request'> {
  let [reasoning, text] = ['', ''];
  const calls: { name: string; input: unknown }[] = [];
  let [first, last]: (string | undefined)[] = [];
  let usage: ModelCall['usage'];
  let problem: string | undefined;
  for (const event of events.slice(start + 1)) {
    if (event.runId !== step.runId) continue;
    if (event.type === 'step_start' || event.type === 'harness_end') break;
    if (event.type === 'error') problem ??= event.message;
    if (event.type !== 'text' && event.type !== 'reasoning' && event.type !== 'tool_call' && event.type !== 'usage')
      continue;
    if ('callId' in event && step.callId !== undefined && event.callId !== step.callId) continue;
    if (event.type === 'usage') {
      const { type: _, runId: __, ...counts } = event;
      usage = counts;
      continue;
    }
    first ??= event.ts;
    last = event.ts;
    if (event.type === 'text') text += event.content;
    else if (event.type === 'reasoning') reasoning += event.content;
    else calls.push({ name: event.name, input: event.input });
  }
  return {
    answer: { reasoning, text, calls },
    ...defined({ usage, problem, firstMs: msBetween(step.ts, first), wholeMs: msBetween(step.ts, usage?.ts ?? last) }),
  };
}

function msBetween(from: string | undefined, to: string | undefined): number | undefined {
  const ms = Date.parse(to ?? '') - Date.parse(from ?? '');
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}
