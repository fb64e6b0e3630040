import { defined } from '../../../base/defined.ts';
import { refusedEnd } from './prompt-ends.ts';
import type { LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider';
import type { AgentEvent, EventOf } from '../../../events/vocabulary.ts';
import { newId } from '../../../events/ids.ts';
import type { Message } from '../../../projections/message.ts';
import { announceRetry } from '../../../projections/presentation/wording.ts';
import type { Answers } from '../../contract/host.ts';
import { isFragment } from '../../frozen-events.ts';
import { Attachments } from '../attachments/attachments.ts';
import { modelName, getProviderId } from './provider-id.ts';
import type { ModelTool } from '../../contract/tool-values.ts';
import { limitReached } from '../../limits/limits.ts';
import { currentTraceparent } from '../../trace-scope.ts';
import type { Spending } from '../../contract/spending.ts';
import { withCacheMarks } from './cache-marks.ts';
import { CallIds } from './call-ids.ts';
import { getCost } from '../prices/prices.ts';
import { type ModelFailure, modelFailure } from './failure.ts';
import { callSettings, type ModelSettings } from './model-options.ts';
import { describeContext, type RequestRecord, toLoggedSettings, requestHash } from './model-context.ts';
import { ModelStream } from './model-stream.ts';
import type { ModelRegistry } from '../../contract/model.ts';
import { ownExecutedCalls, toPrompt } from './prompt.ts';
import { promptTraits } from './prompt-traits.ts';
import type { RetryPolicy } from './retry.ts';

export interface ModelStepOptions {
  readonly runId: string;
  readonly step: number;
  readonly model: LanguageModelV3;
  readonly messages: readonly Message[];
  readonly instructions?: string | undefined;
  readonly tools?: readonly ModelTool[];
  readonly settings?: ModelSettings | undefined;
  /** Reports a reached limit: the model is not called. */
  readonly spending?: Spending | undefined;
  /** Answers whether a limit that asks may be passed; without it such a limit is reached. */
  readonly answers?: Answers | undefined;
  /** The format of the answer. Default: text. */
  readonly responseFormat?: LanguageModelV3CallOptions['responseFormat'];
  /** The parts of the request that the log records. Default: everything but its messages. */
  readonly record?: RequestRecord;
  /** The ids of the run's calls. Default: those of a run with a single step. */
  readonly callIds?: CallIds;
  /** The registry that knows which variable holds a key. Default: the one of the environment. */
  readonly registry?: ModelRegistry | undefined;
  readonly signal: AbortSignal;
  readonly retry: RetryPolicy;
  /** The events of the run so far, when it resumes in the middle of this step. */
  readonly resumedFrom?: readonly AgentEvent[] | undefined;
}

/** The code of the error for an omitted attachment; the run continues. */
const attachmentRefused = 'attachment_refused';

/** The outcome of a step: the tool calls that the run has to execute, or the reason for the missing answer. */
export type ModelStepResult =
  | { readonly ended: 'answered'; readonly calls: readonly EventOf<'tool_call'>[] }
  | { readonly ended: 'failed'; readonly failure: ModelFailure }
  | { readonly ended: 'aborted' };

/** The receiver of a model's events. */
export interface ModelSink {
  /** Resolves when the event was handled. */
  put(event: AgentEvent): Promise<void>;
  /** Receives a fragment; the caller waits only when it returns a promise. */
  pass(event: AgentEvent): Promise<void> | undefined;
}

/**
 * Calls a model, and retries transient failures. Each attempt starts with a `step_start`, which replaces an earlier
 * attempt of the same step. Emits text, reasoning and tool calls in the order of the stream, and the usage after them.
 * Never throws.
 */
export async function modelStep(options: ModelStepOptions, sink: ModelSink): Promise<ModelStepResult> {
  const { runId, step, model, instructions, tools = [], signal, retry, callIds = new CallIds(runId) } = options;
  const { responseFormat, record = { emitted: new Set() }, spending, answers } = options;
  const prompt = toPrompt(options.messages, instructions);
  const settings = { ...callSettings(options.settings), ...defined({ responseFormat }) };
  const offered = tools.length > 0 && { tools: [...tools] };
  const request = { ...settings, prompt, ...offered };
  const refused = refusedEnd(prompt, model);
  if (refused !== undefined) return { ended: 'failed', failure: refused };
  const logged = toLoggedSettings(settings);
  const hash = requestHash({ ...logged, prompt, ...offered });
  const parts = { provider: getProviderId(model), instructions: instructions || undefined, tools, settings: logged };
  const context = describeContext(runId, parts, record);
  const { hasFiles, hasExecuted } = promptTraits(prompt);
  const attachments = new Attachments(model);
  let hasWarned = false;
  let before = lastAttempt(options.resumedFrom ?? [], step);
  for (let attempt = 0; ; attempt++) {
    const limit = await spending?.reached({ runId, answers, signal, put: relay => sink.put(relay) });
    if (signal.aborted) return { ended: 'aborted' };
    if (limit !== undefined)
      return { ended: 'failed', failure: { message: limit, code: limitReached, retryable: false } };
    if (!record.emitted.has(context.id)) await sink.put(context.toEvent());
    record.emitted.add(context.id);
    const callId = newId();
    const repeated = before && { attempt: before.number + 1, replaces: before.ids };
    await sink.put({
      type: 'step_start',
      runId,
      step,
      callId,
      model: modelName(model),
      ...repeated,
      contextId: context.id,
      ...(attempt === 0 && record.carriesMessages === true && { messages: [...options.messages] }),
      requestHash: hash,
    });
    callIds.begin();
    const stream = new ModelStream({ runId, callId, callIds, provider: getProviderId(model) });
    try {
      const own = hasExecuted ? ownExecutedCalls(prompt, getProviderId(model)) : prompt;
      const fitted = hasFiles ? await attachments.fit(own, signal) : { prompt: own, problems: [] };
      const marked = withCacheMarks({ ...request, prompt: fitted.prompt, abortSignal: signal }, model);
      const { stream: parts } = await model.doStream(withTraceparent(marked));
      for (const message of fitted.problems) await sink.put({ type: 'error', runId, code: attachmentRefused, message });
      await readParts(parts, signal, part => {
        const event = stream.take(part);
        return event && (isFragment(event) ? sink.pass(event) : sink.put(event));
      });
      if (signal.aborted) return { ended: 'aborted' };
      const { calls, usage } = stream.finish();
      callIds.keep();
      if (hasFiles) attachments.accept(prompt);
      await sink.put(priced(usage, model));
      return { ended: 'answered', calls };
    } catch (error) {
      if (signal.aborted) return { ended: 'aborted' };
      before = { number: (before?.number ?? 0) + 1, ids: stream.emittedIds };
      if (attachments.leaveOut(prompt, error)) continue;
      const failure = modelFailure(error, model.provider, options.registry);
      const ms = retry.waitFor(failure, attempt);
      if (ms === undefined) {
        attachments.restore();
        return { ended: 'failed', failure };
      }
      // One warning while the connection fails; every other failure reports each attempt.
      const message = announceRetry(failure.message, ms);
      const isConnection = failure.code === 'model_connection';
      if (!isConnection || !hasWarned)
        await sink.put({ type: 'warning', runId, code: failure.code, message, retryAfterMs: ms });
      hasWarned = isConnection;
      try {
        await retry.wait(ms, signal);
      } catch {
        return { ended: 'aborted' }; // Only the signal ends the wait.
      }
    }
  }
}

/** Returns the number of the last attempt at a step and the ids that it emitted; undefined before the first one. */
function lastAttempt(events: readonly AgentEvent[], step: number): { number: number; ids: string[] } | undefined {
  let number = 0;
  const ids = new Set<string>();
  for (const event of events)
    if (event.type === 'step_start') {
      number = event.step === step ? number + 1 : 0;
      ids.clear();
    } else if (isFragment(event) || event.type === 'tool_call') ids.add(event.id);
  return number === 0 ? undefined : { number, ids: [...ids] };
}

/** Reads a stream to its end, or until the signal aborts. */
async function readParts<Part>(
  parts: ReadableStream<Part>,
  signal: AbortSignal,
  take: (part: Part) => Promise<void> | undefined,
): Promise<void> {
  const reader = parts.getReader();
  let isRead = false;
  try {
    for (;;) {
      const next = await reader.read();
      isRead = next.done;
      if (next.done) return;
      const taken = take(next.value);
      if (taken !== undefined) await taken;
      if (signal.aborted) return;
    }
  } finally {
    // The connection may already be closed.
    if (!isRead) reader.cancel().catch(() => {});
  }
}

/** Adds the name of the model, and the cost of the call when the price list contains the model. */
function priced(usage: EventOf<'usage'>, model: LanguageModelV3): EventOf<'usage'> {
  const cost = usage.cost ?? getCost({ provider: getProviderId(model), model: model.modelId }, usage);
  return { ...usage, model: modelName(model), ...defined({ cost }) };
}

/** Adds the header that names the trace of the run to a request that is made in one. */
function withTraceparent(request: LanguageModelV3CallOptions): LanguageModelV3CallOptions {
  const traceparent = currentTraceparent();
  return traceparent === undefined ? request : { ...request, headers: { traceparent, ...request.headers } };
}
