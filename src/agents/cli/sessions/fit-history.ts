import { defined } from '../../../base/defined.ts';
import type { AgentEvent } from '../../../events/vocabulary.ts';
import type { Message } from '../../../projections/message.ts';
import { fitHistory } from '../../../projections/model-input/history.ts';
import { RunInput } from '../../../projections/model-input/run-input.ts';
import { compactionMessage } from '../../../projections/model-input/summary-messages.ts';
import type { InvokeParams } from '../../contract/agent.ts';
import { Compaction, thresholdFor } from '../../memory/compaction.ts';
import { preservedMessages, withPreserved } from '../../memory/preserved-messages.ts';
import { RetryPolicy } from '../../model/call/retry.ts';
import { resolveModel } from '../../model/registry/model-source.ts';
import type { ModelSource } from '../../contract/model.ts';
import { countTokens, countTokensOfEach, mostTokens } from '../../model/tokens/tokens.ts';
import type { CliAdapter } from '../contract/cli-adapter.ts';

/** How a conversation that is too long for the model of a program is shortened before the program gets it. */
export interface HandOverCompaction {
  /** The maximum number of tokens for the program. Default: four fifths of its model's context window, or 100,000. */
  readonly threshold?: number;
  /** The model that writes the summary, or a function that finds it. Default: none; omits older answers and calls. */
  readonly model?: ModelSource | (() => Promise<ModelSource | undefined>);
}

/** A run whose conversation has to fit, and the receiver of its events. */
export interface FitRequest {
  readonly adapter: Pick<CliAdapter, 'name' | 'prices'>;
  readonly compaction: HandOverCompaction | undefined;
  /** The model of the program, as it names it. */
  readonly model: string | undefined;
  readonly params: InvokeParams;
  readonly put: (event: AgentEvent) => Promise<void>;
}

/**
 * Returns the conversation of a run as a program gets it: one that is too long for its model begins with a summary, or
 * without its older answers and calls, and a `warning` says so. The log keeps all of it.
 */
export async function fitConversation(request: FitRequest): Promise<readonly Message[]> {
  const { adapter, compaction = {}, model, params, put } = request;
  const { messages } = params.conversation;
  const { runId } = params.run;
  const threshold = compaction.threshold ?? thresholdFor(findModelKey(adapter, model));
  if (mostTokens(messages) < threshold) return messages;
  const tokens = await countTokens(messages);
  if (tokens < threshold) return messages;
  const summarised = await summarise(request, threshold);
  const fitted = summarised ?? (await shorten(messages, threshold));
  const how =
    summarised === undefined ? 'older answers and calls are left out' : 'a summary stands for what came before';
  const limit = `more than the ${threshold.toLocaleString('en')} that ${adapter.name} gets`;
  const message = `The conversation has about ${tokens.toLocaleString('en')} tokens, ${limit}: ${how}.`;
  await put({ type: 'warning', runId, code: 'conversation_condensed', message });
  return fitted;
}

/** The key of a program's model in the price list. */
function findModelKey({ prices = '' }: Pick<CliAdapter, 'prices'>, model = ''): { provider: string; modelId: string } {
  const [provider = '', ...rest] = model.split('/');
  return rest.length === 0 ? { provider: prices, modelId: model } : { provider, modelId: rest.join('/') };
}

/** Lets a model summarise everything before the request, but keeps user text; undefined without a summary. */
async function summarise(
  { compaction: { model: source } = {}, params, put }: FitRequest,
  threshold: number,
): Promise<readonly Message[] | undefined> {
  const { runId, signal } = params.run;
  const { messages, firstMessageId: firstId, previousMessageId: previousId } = params.conversation;
  const { registry, spending, answers } = params.host;
  const chosen = typeof source === 'function' ? await source() : source;
  if (chosen === undefined) return undefined;
  const input = new RunInput({ runId, history: messages, ...defined({ firstId, previousId }) });
  const policy = new Compaction({ threshold, keepsUserMessages: true }, input);
  let hasSummary = false;
  const take = async (event: AgentEvent) => {
    input.add(event);
    hasSummary ||= event.type === 'summary';
    // The program does not report this usage as part of its session.
    await put(event.type === 'usage' ? { ...event, agentId: 'compaction' } : event);
  };
  const model = await resolveModel(chosen, registry);
  const step = { runId, step: 0, system: undefined, signal, registry, spending, answers, retry: new RetryPolicy() };
  await policy.beforeStep({ ...step, model }, take);
  signal.throwIfAborted();
  return hasSummary ? input.messages() : undefined;
}

/** The lengths to which outputs are shortened, one after the other, until everything fits. */
const outputLengths = [30_000, 2_000];

/** Returns the newest turns that fit, preceded by the user text of the earlier turns. */
async function shorten(messages: readonly Message[], threshold: number): Promise<readonly Message[]> {
  for (const max of outputLengths) {
    const short = fitHistory(messages, max);
    const counts = await countTokensOfEach(short);
    const upTo = (count: number) => counts[count - 1] ?? 0;
    const all = upTo(short.length);
    if (all < threshold) return short;
    // The earlier user text gets a quarter of the threshold, at four characters per token.
    const begins = (at: number) => at > 0 && short[at]?.role === 'user' && all - upTo(at) < threshold * 0.7;
    const first = short.findIndex((_, at) => begins(at));
    const request = short.findLastIndex(({ role }) => role === 'user');
    if (first === -1 || (first === request && max !== outputLengths.at(-1))) continue;
    const words = preservedMessages(short.slice(0, first), threshold);
    return [compactionMessage(withPreserved('Answers and calls were left out here.', words)), ...short.slice(first)];
  }
  return messages;
}
