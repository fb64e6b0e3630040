import { type AgentEvent, type EventOf, isKnownEvent, type LoggedEvent } from '../../events/vocabulary.ts';
import { optionsCheck } from '../../base/options/check-options.ts';
import { flag, name, number } from '../../base/options/option-fields.ts';
import { deriveRunContext, type RunTrace, type SpanContext } from '../../events/trace-context.ts';
import { isOperation } from '../../projections/activity/activity.ts';
import {
  type ActivityState,
  createActivityState,
  projectActivity,
} from '../../projections/activity/project-activity.ts';
import { type ContentMessage, ModelContexts, toUserMessage } from './message-content.ts';
import { type AttributeValue, OpenSpan, type Span, type SpanParent } from './span.ts';
import { RunSpans } from './run-spans.ts';

export interface SpanFoldOptions {
  readonly threadId: string;
  /** Whether spans include the content of messages and tool calls; false by default. */
  readonly content?: boolean;
  /** The newest event shared with the thread it branched from; shared events create no spans here. */
  readonly sharedSeq?: number;
}

interface StartedRun {
  readonly spans: RunSpans;
  /** Whether it is the record of a run elsewhere, which counts as interrupted without an end. */
  readonly isRecorded: boolean;
}

/** How many messages are remembered for runs that answer them again. */
const mostMessages = 50;

/**
 * The spans of a thread: one for each run, model call, tool and relay, in one trace for each root run. The same events
 * always give the same spans, with ids that derive from those of the events. Each event costs constant time.
 */
export class SpanFold {
  readonly #options: SpanFoldOptions;
  readonly #contexts = new ModelContexts();
  readonly #activity: ActivityState = createActivityState();
  readonly #requested = new Map<string, { readonly event: EventOf<'run_requested'>; readonly time: number }>();
  readonly #runs = new Map<string, StartedRun>();
  /** Maps a run id used by events of a run's model to the id of that run. */
  readonly #voices = new Map<string, string>();
  /** The spans of ended runs, because a child run may start after its parent ended. */
  readonly #ended = new Map<string, SpanParent>();
  readonly #messages = new Map<string, ContentMessage>();
  #lastRoot: SpanContext | undefined;
  #seq = 0;
  #time = 0;

  constructor(options: SpanFoldOptions) {
    this.#options = options;
  }

  /** The newest event that it has. */
  get seq(): number {
    return this.#seq;
  }

  /** Takes one more event of the thread; returns the spans that it ends. */
  take(event: LoggedEvent): readonly Span[] {
    if (event.seq <= this.#seq) return [];
    const { sharedSeq = 0 } = this.#options;
    // Runs that were open at the branch point continue in the other thread.
    if (this.#seq <= sharedSeq && event.seq > sharedSeq) for (const open of [this.#runs, this.#requested]) open.clear();
    this.#seq = event.seq;
    const time = Date.parse(event.ts);
    if (!Number.isNaN(time)) this.#time = time;
    const ended = isKnownEvent(event) ? this.#fold(event) : [];
    return event.seq > sharedSeq ? ended : [];
  }

  /** Ends what is open with the newest event: runs that were recorded elsewhere, and with `all` every run. */
  endOpen({ all }: { readonly all: boolean }): Span[] {
    return [...this.#runs.values()].toReversed().flatMap(({ spans, isRecorded }) => {
      if (!isRecorded && !all) return [];
      if (!isRecorded) spans.span.set({ 'singletree.open': true });
      return spans.end(isRecorded ? 'interrupted' : 'open', this.#time);
    });
  }

  #fold(event: AgentEvent): Span[] {
    const activity = projectActivity(this.#activity, event).find(isOperation)?.type;
    const time = this.#time;
    switch (event.type) {
      case 'model_context':
        this.#contexts.take(event);
        return [];
      case 'run_requested':
        this.#requested.set(event.runId, { event, time });
        return [];
      case 'harness_start':
        this.#start(event, time);
        return [];
      case 'harness_end':
        return this.#end(event);
      case 'user':
        this.#hear(event);
        return [];
      case 'summary':
        if (event.kind === 'compaction' && event.active !== false) this.#find(event)?.compact();
        return [];
      case 'relay_resolved':
        return [...this.#runs.values()].flatMap(({ spans }) => spans.resolve(event, time));
      default:
        return this.#find(event)?.take(event, time, activity) ?? [];
    }
  }

  /** The open run that an event belongs to. */
  #find({ runId, parentId }: AgentEvent): RunSpans | undefined {
    const own = this.#runs.get(runId) ?? this.#runs.get(this.#voices.get(runId) ?? '');
    if (own !== undefined || parentId === undefined) return own?.spans;
    if (this.#runs.has(parentId)) this.#voices.set(runId, parentId);
    return this.#runs.get(parentId)?.spans;
  }

  #start(event: EventOf<'harness_start'> | EventOf<'run_requested'>, start: number): void {
    const { runId, agentId } = event;
    if (this.#runs.has(runId) || this.#ended.has(runId)) return;
    const requested = this.#requested.get(runId)?.event;
    this.#requested.delete(runId);
    const parent = this.#findParent(event.parentId);
    const place = { runId, part: 'run', name: `invoke_agent ${agentId}`, kind: 'internal' as const, start };
    const span =
      parent === undefined
        ? this.#newRoot(place, event.type === 'harness_start' ? event.trace : undefined)
        : OpenSpan.inside(parent, place);
    if (event.type === 'harness_start') span.set({ 'singletree.memory': event.memory?.operation });
    const message = this.#messages.get(event.parentId ?? '');
    const input = this.#options.content === true ? (message === undefined ? [] : [message]) : undefined;
    const spans = new RunSpans({
      threadId: this.#options.threadId,
      runId,
      agentId,
      model: event.model ?? requested?.model,
      span,
      contexts: this.#contexts,
      input,
    });
    this.#runs.set(runId, { spans, isRecorded: event.type === 'harness_start' && event.recorded === true });
  }

  /** The span of the call, the execution or the run that caused a run. */
  #findParent(parentId: string | undefined): SpanParent | undefined {
    if (parentId === undefined) return undefined;
    for (const { spans } of [...this.#runs.values()].toReversed()) {
      const call = spans.findCall(parentId);
      if (call !== undefined) return call;
    }
    return this.#runs.get(parentId)?.spans.span.context ?? this.#ended.get(parentId);
  }

  #newRoot(
    { runId, name, kind, start }: Pick<Span, 'name' | 'kind' | 'start'> & { readonly runId: string },
    trace: RunTrace | undefined,
  ): OpenSpan {
    const context = deriveRunContext(runId, trace);
    const parentSpanId = trace?.parentSpanId?.toLowerCase().padStart(16, '0');
    const isRemote = parentSpanId !== undefined && /^[\da-f]{16}$/.test(parentSpanId) && !/^0+$/.test(parentSpanId);
    const before = this.#lastRoot;
    this.#lastRoot = context;
    const span = new OpenSpan({
      ...context,
      rootRunId: runId,
      ...(isRemote && { parentSpanId, hasRemoteParent: true as const, isSampled: trace?.sampled !== false }),
      name,
      kind,
      start,
      links: before === undefined ? [] : [{ ...before, attributes: { 'singletree.link': 'previous_turn' } }],
    });
    span.set({ ...metadataAttributes(trace?.metadata), 'singletree.tags': trace?.tags });
    return span;
  }

  #end({ runId, reason = 'complete' }: EventOf<'harness_end'>): Span[] {
    const requested = this.#requested.get(runId);
    // A run that ended before its agent began.
    if (requested !== undefined && !this.#runs.has(runId)) this.#start(requested.event, requested.time);
    const run = this.#runs.get(runId);
    if (run === undefined) return [];
    this.#runs.delete(runId);
    this.#ended.set(runId, run.spans.span.context);
    for (const [voice, owner] of this.#voices) if (owner === runId) this.#voices.delete(voice);
    return run.spans.end(reason, this.#time);
  }

  #hear({ runId, content }: EventOf<'user'>): void {
    if (this.#options.content !== true) return;
    const message = toUserMessage(content);
    const run = this.#runs.get(runId);
    if (run !== undefined) return run.spans.hear(message);
    this.#messages.set(`${runId}:user`, message);
    const [oldest] = this.#messages.keys();
    if (this.#messages.size > mostMessages && oldest !== undefined) this.#messages.delete(oldest);
  }
}

const checkOptions = optionsCheck<SpanFoldOptions & { readonly open?: boolean }>('foldSpans')(() => ({
  threadId: name(),
  content: flag().optional(),
  sharedSeq: number().optional(),
  open: flag().optional(),
}));

/**
 * Returns the spans of a whole thread, in the order in which they ended; with `open`, also those that have not. Throws
 * `invalid_argument` for options that are unknown, missing or invalid.
 */
export function foldSpans(events: Iterable<LoggedEvent>, given: SpanFoldOptions & { readonly open?: boolean }): Span[] {
  checkOptions(given);
  const { open = false, ...options } = given;
  const fold = new SpanFold(options);
  const spans: Span[] = [];
  for (const event of events) spans.push(...fold.take(event));
  return [...spans, ...fold.endOpen({ all: open })];
}

/** The labels that a caller gave a trace, as far as they are simple values. */
function metadataAttributes(metadata: RunTrace['metadata'] = {}): Record<string, AttributeValue> {
  const simple = Object.entries(metadata).filter((entry): entry is [string, string | number | boolean] =>
    ['string', 'number', 'boolean'].includes(typeof entry[1]),
  );
  return Object.fromEntries(simple.map(([key, value]) => [`singletree.metadata.${key}`, value]));
}
