import type { LanguageModelV3StreamPart, LanguageModelV3ToolCall, LanguageModelV3Usage } from '@ai-sdk/provider';
import { type AgentEvent, type EventOf, toolParseError } from '../../events/index.ts';

type Finish = Extract<LanguageModelV3StreamPart, { type: 'finish' }>;

/** Turns the parts of one model stream into events: text as it comes, tool calls and usage at the end. */
export class ModelStream {
  readonly #runId: string;
  readonly #callId: string;
  readonly #toolNames = new Map<string, string>();
  readonly #calls: EventOf<'tool_call'>[] = [];
  #finish: Finish | undefined;

  constructor({ runId, callId }: { runId: string; callId: string }) {
    this.#runId = runId;
    this.#callId = callId;
  }

  /** The event a part becomes at once, if any; throws what the stream reports as its error. */
  take(part: LanguageModelV3StreamPart): AgentEvent | undefined {
    const runId = this.#runId;
    switch (part.type) {
      case 'text-delta':
        return { type: 'text', runId, id: this.#streamId(part.id), content: part.delta, callId: this.#callId };
      case 'reasoning-delta':
      case 'reasoning-end':
        return this.#reasoning(part);
      case 'tool-input-start':
        this.#toolNames.set(part.id, part.toolName);
        return undefined;
      case 'tool-input-delta': {
        const name = this.#toolNames.get(part.id);
        return {
          type: 'tool_input_delta',
          runId,
          id: `${runId}/${part.id}`,
          delta: part.delta,
          ...(name !== undefined && { name }),
        };
      }
      case 'tool-call':
        if (part.providerExecuted !== true) this.#calls.push(this.#call(part));
        return undefined;
      case 'finish':
        this.#finish = part;
        return undefined;
      case 'error':
        throw part.error;
      default:
        return undefined;
    }
  }

  /** What comes after the stream; throws when the stream ended before the model had finished. */
  finish(): { calls: readonly EventOf<'tool_call'>[]; usage: EventOf<'usage'> } {
    if (this.#finish === undefined) throw new Error('the connection was cut before the model had finished');
    return { calls: this.#calls, usage: this.#usage(this.#finish) };
  }

  #streamId(id: string): string {
    return `${this.#runId}/${this.#callId}/${id}`;
  }

  #reasoning(
    part: Extract<LanguageModelV3StreamPart, { type: 'reasoning-delta' | 'reasoning-end' }>,
  ): AgentEvent | undefined {
    const content = part.type === 'reasoning-delta' ? part.delta : '';
    const metadata = part.providerMetadata && { providerMetadata: part.providerMetadata };
    if (content === '' && metadata === undefined) return undefined;
    return {
      type: 'reasoning',
      runId: this.#runId,
      id: this.#streamId(part.id),
      content,
      callId: this.#callId,
      ...metadata,
    };
  }

  #call({ toolCallId, toolName, input, providerMetadata }: LanguageModelV3ToolCall): EventOf<'tool_call'> {
    const metadata = providerMetadata && { providerMetadata };
    return {
      type: 'tool_call',
      runId: this.#runId,
      id: `${this.#runId}/${toolCallId}`,
      name: toolName,
      input: parsed(input),
      ...metadata,
    };
  }

  #usage({ usage, finishReason }: Finish): EventOf<'usage'> {
    const { inputTokens, outputTokens } = usage;
    return {
      type: 'usage',
      runId: this.#runId,
      callId: this.#callId,
      inputTokens: inputTokens.total ?? 0,
      outputTokens: outputTokens.total ?? 0,
      ...detailCounts(usage),
      finishReason: finishReason.unified,
    };
  }
}

function detailCounts({ inputTokens, outputTokens }: LanguageModelV3Usage) {
  return {
    ...(inputTokens.cacheRead !== undefined && { cacheReadTokens: inputTokens.cacheRead }),
    ...(inputTokens.cacheWrite !== undefined && { cacheWriteTokens: inputTokens.cacheWrite }),
    ...(outputTokens.reasoning !== undefined && { reasoningTokens: outputTokens.reasoning }),
  };
}

function parsed(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    return toolParseError(error instanceof Error ? error.message : String(error), text);
  }
}
