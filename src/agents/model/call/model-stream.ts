import type { LanguageModelV3StreamPart, LanguageModelV3ToolCall, LanguageModelV3Usage } from '@ai-sdk/provider';
import { errorText, type AgentEvent, type EventOf, toolParseError } from '../../../events/index.ts';
import type { CallIds } from './call-ids.ts';

type Finish = Extract<LanguageModelV3StreamPart, { type: 'finish' }>;
type ReasoningPart = Extract<LanguageModelV3StreamPart, { type: `reasoning-${string}` }>;

/** The stream ended without an answer: the connection dropped, or the model gave up. */
export class UnfinishedStream extends Error {
  override readonly name = 'UnfinishedStream';
}

/** Converts the parts of one model stream to events: text as it arrives, tool calls and usage at the end. */
export class ModelStream {
  readonly #runId: string;
  readonly #callId: string;
  readonly #callIds: CallIds;
  /** The calls whose input is streaming, by raw id. */
  readonly #open = new Map<string, { readonly id: string; readonly name: string }>();
  readonly #streamIds = new Map<string, string>();
  readonly #metadata = new Map<string, string>();
  readonly #calls: EventOf<'tool_call'>[] = [];
  #finish: Finish | undefined;

  constructor({ runId, callId, callIds }: { runId: string; callId: string; callIds: CallIds }) {
    this.#runId = runId;
    this.#callId = callId;
    this.#callIds = callIds;
  }

  /** Returns the event of a part, if it has one; throws the error that the stream reports. */
  take(part: LanguageModelV3StreamPart): AgentEvent | undefined {
    const runId = this.#runId;
    switch (part.type) {
      case 'text-delta':
        if (part.delta === '') return undefined;
        return { type: 'text', runId, id: this.#streamId(part.id), content: part.delta, callId: this.#callId };
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        return this.#reasoning(part);
      case 'tool-input-start':
        this.#open.set(part.id, { id: this.#callIds.next(part.id), name: part.toolName });
        return undefined;
      case 'tool-input-delta': {
        const open = this.#open.get(part.id);
        return open && { type: 'tool_input_delta', runId, id: open.id, delta: part.delta, name: open.name };
      }
      case 'tool-call':
        if (part.providerExecuted !== true) this.#calls.push(this.#call(part));
        return undefined;
      case 'finish':
        this.#finish = part;
        return undefined;
      case 'error':
        throw part.error;
      case 'stream-start':
      case 'response-metadata':
      case 'text-start':
      case 'text-end':
      case 'tool-input-end':
      case 'tool-result':
      case 'tool-approval-request':
      case 'file':
      case 'source':
      case 'raw':
      default:
        return undefined;
    }
  }

  /** Returns the events after the stream; throws when the stream ended before the model had finished. */
  finish(): { calls: readonly EventOf<'tool_call'>[]; usage: EventOf<'usage'> } {
    if (this.#finish === undefined) throw new UnfinishedStream('the stream ended before the model had finished');
    const { unified, raw } = this.#finish.finishReason;
    if (unified === 'error')
      throw new UnfinishedStream(`the model stopped with an error (${raw ?? 'no reason given'})`);
    return { calls: this.#calls, usage: this.#usage(this.#finish) };
  }

  /** The same string instance each time, which is compared and looked up faster. */
  #streamId(id: string): string {
    let streamId = this.#streamIds.get(id);
    if (streamId === undefined) this.#streamIds.set(id, (streamId = `${this.#runId}/${this.#callId}/${id}`));
    return streamId;
  }

  /** Metadata is emitted only when it changes, so that the fragments in between can be joined. */
  #reasoning(part: ReasoningPart): AgentEvent | undefined {
    const content = part.type === 'reasoning-delta' ? part.delta : '';
    const known = part.providerMetadata && JSON.stringify(part.providerMetadata);
    const changed = known !== undefined && known !== this.#metadata.get(part.id);
    if (changed) this.#metadata.set(part.id, known);
    if (content === '' && !changed) return undefined;
    return {
      type: 'reasoning',
      runId: this.#runId,
      id: this.#streamId(part.id),
      content,
      callId: this.#callId,
      ...(changed && { providerMetadata: part.providerMetadata }),
    };
  }

  #call({ toolCallId, toolName, input, providerMetadata }: LanguageModelV3ToolCall): EventOf<'tool_call'> {
    const metadata = providerMetadata && { providerMetadata };
    const id = this.#open.get(toolCallId)?.id ?? this.#callIds.next(toolCallId);
    this.#open.delete(toolCallId);
    return {
      type: 'tool_call',
      runId: this.#runId,
      id,
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
    return toolParseError(errorText(error), text);
  }
}
