import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import { errorText } from '../../base/error-text.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { Agent, InvokeParams } from '../contract/agent.ts';
import { EventChannel } from '../run/event-channel.ts';
import { stopWith } from '../run/stop-with.ts';
import { TimeLimit } from '../run/time-limit.ts';
import { untilAborted } from '../run/until-aborted.ts';
import { limitReached } from '../limits/limits.ts';
import { endedBy } from '../model/call/failure.ts';
import { modelStep, type ModelStepOptions } from '../model/call/model-step.ts';
import { RetryPolicy } from '../model/call/retry.ts';
import type { RetryOptions, ModelSource, ModelRegistry } from '../contract/model.ts';
import { resolveModel } from '../model/registry/model-source.ts';

type Start = NonNullable<EventOf<'harness_start'>['memory']>;

/** Sends a prompt to the model and returns its answer; rejects when the call returns none. */
export type AskModel = (prompt: string) => Promise<string>;

export interface BesideAgentOptions {
  readonly id: string;
  readonly model: ModelSource;
  readonly instructions: string;
  readonly start: Start;
  readonly registry: ModelRegistry | undefined;
  readonly retry: RetryOptions | undefined;
  readonly timeoutMs: number;
  /** Does the work and returns the event to store. An error that it throws ends the run with an `error` event. */
  readonly work: (ask: AskModel, runId: string) => Promise<AgentEvent | undefined>;
}

/** A limit of spending keeps a model from being called. */
class LimitReached extends Error {}

/** The abort reason of a run that has ended. */
const runEnded = new Error('The run has ended.');

/** Creates an agent that does a job for another run with a few model calls. It cannot be resumed. */
export function besideAgent(options: BesideAgentOptions): Agent {
  const { id } = options;
  function invoke(params: InvokeParams): AsyncIterable<AgentEvent> {
    const stop = stopWith(params.run.signal);
    const end = () => stop.abort(runEnded);
    const channel = new EventChannel();
    return channel.stream(() => run(options, params, stop.signal, channel).finally(end), end);
  }
  return { id, invoke };
}

async function run(
  options: BesideAgentOptions,
  { run: { runId, parentId }, host: { spending } }: InvokeParams,
  signal: AbortSignal,
  channel: EventChannel,
): Promise<void> {
  const { id: agentId, start, timeoutMs } = options;
  const cause = parentId === undefined ? {} : { parentId };
  await channel.put({ type: 'harness_start', runId, agentId, ...cause, memory: start });
  const limit = new TimeLimit(timeoutMs, signal);
  let reason: EventOf<'harness_end'>['reason'] = 'complete';
  try {
    const made = await options.work(asker(options, { runId, signal: limit.signal, spending }, channel), runId);
    if (made !== undefined) await channel.put(made);
  } catch (error) {
    const isLimited = error instanceof LimitReached;
    reason = limit.over ? 'timeout' : signal.aborted ? 'aborted' : isLimited ? limitReached : 'error';
    const message = limit.over ? `The ${agentId} took longer than ${timeoutMs} ms.` : errorText(error);
    const code = isLimited ? limitReached : `${start.operation}_failed`;
    if (reason !== 'aborted') await channel.put({ type: 'error', runId, message, code });
  } finally {
    limit.clear();
  }
  await channel.put({ type: 'harness_end', runId, agentId, reason });
}

function asker(
  { model: source, instructions, registry, retry }: BesideAgentOptions,
  { runId, signal, spending }: Pick<ModelStepOptions, 'runId' | 'signal' | 'spending'>,
  channel: EventChannel,
): AskModel {
  const policy = new RetryPolicy(retry);
  let step = 0;
  const emitted = new Set<string>();
  return async prompt => {
    const model = await resolveModel(source, registry);
    let text = '';
    const take = (event: AgentEvent): void => {
      if (event.type === 'step_start') text = '';
      else if (event.type === 'text') text += event.content;
    };
    const sink = {
      put: (event: AgentEvent) => {
        take(event);
        return channel.put(event);
      },
      pass: (event: AgentEvent) => {
        take(event);
        return channel.pass(event);
      },
    };
    const messages = [{ role: 'user' as const, content: prompt }];
    const request = { runId, step: step++, model, messages, instructions, record: { emitted, carriesMessages: true } };
    // A model that ignores the signal does not delay the end of the run.
    const result = await untilAborted(
      modelStep({ ...request, registry, signal, spending, retry: policy }, sink),
      signal,
    );
    if (result.ended === 'answered') return text;
    if (result.ended === 'failed' && endedBy(result.failure) === limitReached)
      throw new LimitReached(result.failure.message);
    throw new SingletreeError('internal', result.ended === 'failed' ? result.failure.message : 'It was aborted.');
  };
}
