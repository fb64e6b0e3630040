import { defined } from '../../base/defined.ts';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import { newId } from '../../events/ids.ts';
import type { CompactionOptions } from './compaction-options.ts';
import type { Message } from '../../projections/message.ts';
import type { RunInput } from '../../projections/model-input/run-input.ts';
import { resolveModel } from '../model/registry/model-source.ts';
import { modelStep } from '../model/call/model-step.ts';
import { pricedModel } from '../model/prices/prices.ts';
import type { ContextPolicy, StepContext } from './step-context.ts';
import { preservedMessages, withPreserved } from './preserved-messages.ts';
import { countTokens, countTokensOfEach, mostTokens } from '../model/tokens/tokens.ts';

const defaultInstructions = [
  'Summarise the conversation so far for yourself: it takes the place of what it covers, and you go on from it.',
  'Keep what was asked, in its words where they matter, what was decided and why, what was found out, which files',
  'and commands matter, what was done and what is left to do. Write only the summary.',
].join(' ');

/**
 * Keeps the conversation within the model's context window: the beginning is replaced by a summary, its source stays in
 * the log.
 */
export class Compaction implements ContextPolicy {
  readonly #options: CompactionOptions;
  readonly #input: RunInput;
  #hasFailed = false;

  constructor(options: CompactionOptions, input: RunInput) {
    this.#options = options;
    this.#input = input;
  }

  /** Summarises when the threshold is reached. A failure becomes a warning, and the run continues uncompacted. */
  async beforeStep(request: StepContext, put: (event: AgentEvent) => Promise<void>): Promise<void> {
    if (this.#hasFailed) return;
    const threshold = this.#options.threshold ?? thresholdFor(request.model);
    const messages = this.#input.messages();
    if (mostTokens(messages) < threshold || (await countTokens(messages)) < threshold) return;
    const covered = await this.#covered(messages, this.#options.keep ?? threshold / 4, threshold / 4);
    if (covered === undefined) return;
    const { runId } = request;
    const made = await this.#summarise(request, messages.slice(0, covered.count), put);
    if (request.signal.aborted) return;
    if (made.usage !== undefined) await put(made.usage);
    if ('problem' in made) {
      this.#hasFailed = true;
      const message = `No summary was made: ${made.problem}`;
      return put({ type: 'warning', runId, code: 'compaction_failed', message });
    }
    const { from, to, count } = covered;
    const text = this.#buildText(made.text, messages.slice(0, count), threshold);
    const coveredTokens = (await countTokensOfEach(messages))[count - 1] ?? 0;
    const tokens = await countTokens([{ role: 'user', content: text }]);
    await put({
      type: 'summary',
      runId,
      id: newId(),
      covers: { from, to },
      text,
      kind: 'compaction',
      tokens,
      coveredTokens,
      coveredMessages: count,
      ...made.request,
    });
  }

  /** Returns a summary with the preserved messages, whose length is at most about half of the threshold. */
  #buildText(summary: string, covered: readonly Message[], threshold: number): string {
    const { keepsUserMessages = false, append } = this.#options;
    const kept = keepsUserMessages ? withPreserved(summary, preservedMessages(covered, threshold * 2)) : summary;
    const more = append?.() ?? '';
    return more === '' ? kept : `${kept}\n\n${more}`;
  }

  /**
   * Returns the longest prefix that keeps the newest turns, or the shortest prefix when none keeps enough of them;
   * undefined when compaction would save too little.
   */
  async #covered(messages: readonly Message[], keep: number, least: number) {
    const counts = await countTokensOfEach(messages);
    const upTo = (count: number) => counts[count - 1] ?? 0;
    const beginnings = this.#input.beginnings();
    const chosen = beginnings.findLast(({ count }) => upTo(messages.length) - upTo(count) >= keep) ?? beginnings[0];
    return chosen === undefined || upTo(chosen.count) < least ? undefined : chosen;
  }

  async #summarise(
    { system, ...context }: StepContext,
    messages: readonly Message[],
    put: (event: AgentEvent) => Promise<void>,
  ): Promise<Summarised> {
    const { model: source, instructions = defaultInstructions } = this.#options;
    const model = source === undefined ? context.model : await resolveModel(source, context.registry);
    const sent: Message[] = [...messages, { role: 'user', content: instructions }];
    let text = '';
    let usage: EventOf<'usage'> | undefined;
    let request = {};
    const take = (event: AgentEvent): undefined => {
      if (event.type === 'step_start') {
        text = '';
        request = defined({ contextId: event.contextId, requestHash: event.requestHash });
      } else if (event.type === 'text') text += event.content;
      else if (event.type === 'usage') usage = event;
    };
    const sink = {
      put: async (event: AgentEvent) =>
        event.type === 'model_context' || event.type === 'relay' ? put(event) : take(event),
      pass: take,
    };
    const result = await modelStep({ ...context, model, messages: sent, instructions: system, step: 0 }, sink);
    const problem = result.ended === 'failed' ? result.failure.message : 'the model said nothing.';
    return {
      ...(usage && { usage }),
      ...(result.ended === 'answered' && text !== ''
        ? { text, request: { ...request, asked: instructions } }
        : { problem }),
    };
  }
}

type Summarised = { readonly usage?: EventOf<'usage'> } & (
  | { readonly text: string; readonly request: Pick<EventOf<'summary'>, 'contextId' | 'asked' | 'requestHash'> }
  | { readonly problem: string }
);

/** Returns the number of tokens that triggers a summary: four fifths of the model's context window, or 100,000. */
export function thresholdFor({ provider, modelId }: Pick<LanguageModelV3, 'provider' | 'modelId'>): number {
  const window = pricedModel({ provider: provider.split('.')[0] ?? provider, model: modelId })?.contextWindow;
  return window === undefined ? 100_000 : window * 0.8;
}
