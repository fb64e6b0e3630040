import { defined } from '../../../base/defined.ts';
import type {
  LanguageModelV3StreamPart,
  LanguageModelV3ToolCall,
  LanguageModelV3ToolResult,
  LanguageModelV3Usage,
} from '@ai-sdk/provider';
import { errorText } from '../../../base/error-text.ts';
import type { AgentEvent, EventOf } from '../../../events/vocabulary.ts';
import { newId } from '../../../events/ids.ts';
import { toolParseError } from '../../../events/tools.ts';
import type { CallIds } from './call-ids.ts';

type Finish = Extract<LanguageModelV3StreamPart, { type: 'finish' }>;
type TextPart = Extract<LanguageModelV3StreamPart, { type: `text-${string}` }>;
type ReasoningPart = Extract<LanguageModelV3StreamPart, { type: `reasoning-${string}` }>;

/** The stream ended without an answer: the connection dropped, or the model gave up. */
export class UnfinishedStream extends Error {
  override readonly name = 'UnfinishedStream';
}

/** Converts the parts of one model stream to events, in the order of the stream; the usage comes at the end. */
export class ModelStream {
  readonly #runId: string;
  readonly #callId: string;
  readonly #callIds: CallIds;
  readonly #provider: string;
  /** The calls whose input is streaming, by raw id. */
  readonly #open = new Map<string, { readonly id: string; readonly name: string }>();
  readonly #streamIds = new Map<string, string>();
  readonly #metadata = new Map<string, string>();
  /** The metadata of the texts that are being written. */
  readonly #textMetadata = new Map<string, Record<string, unknown>>();
  /** The calls that the provider executes, by raw id. */
  readonly #executed = new Map<string, string>();
  readonly #calls: EventOf<'tool_call'>[] = [];
  readonly #emittedCalls = new Set<string>();
  #finish: Finish | undefined;

  /** `provider` is the id of the model's provider. */
  constructor({
    runId,
    callId,
    callIds,
    provider,
  }: { runId: string; callId: string; callIds: CallIds; provider: string }) {
    this.#runId = runId;
    this.#callId = callId;
    this.#callIds = callIds;
    this.#provider = provider;
  }

  /** Returns the event of a part, if it has one; throws the error that the stream reports. */
  take(part: LanguageModelV3StreamPart): AgentEvent | undefined {
    const runId = this.#runId;
    switch (part.type) {
      case 'text-start':
        this.#keepTextMetadata(part);
        return undefined;
      case 'text-delta':
        this.#keepTextMetadata(part);
        if (part.delta === '') return undefined;
        return { type: 'text', runId, id: this.#streamId(part.id), content: part.delta, callId: this.#callId };
      case 'text-end':
        this.#keepTextMetadata(part);
        return this.#endText(part.id);
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        return this.#reasoning(part);
      case 'tool-input-start':
        this.#open.set(part.id, { id: this.#callIds.next(part.id), name: part.toolName });
        return undefined;
      case 'tool-input-delta': {
        const open = this.#open.get(part.id);
        if (open !== undefined) this.#emittedCalls.add(open.id);
        return open && { type: 'tool_input_delta', runId, id: open.id, delta: part.delta, name: open.name };
      }
      case 'tool-call':
        return this.#call(part);
      case 'tool-result':
        return this.#result(part);
      case 'finish':
        this.#finish = part;
        return undefined;
      case 'error':
        throw part.error;
      case 'stream-start':
      case 'response-metadata':
      case 'tool-input-end':
      case 'tool-approval-request':
      case 'file':
      case 'source':
      case 'raw':
      default:
        return undefined;
    }
  }

  /** The ids of the text, reasoning and calls that were emitted. */
  get emittedIds(): string[] {
    return [...this.#streamIds.values(), ...this.#emittedCalls];
  }

  /** Returns the calls that the run has to execute, and the usage; throws when the stream ended before the model had finished. */
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

  #keepTextMetadata({ id, providerMetadata }: TextPart): void {
    if (providerMetadata !== undefined) this.#textMetadata.set(id, providerMetadata);
  }

  /** The metadata of a text follows its last fragment, so that the fragments can be joined. */
  #endText(id: string): AgentEvent | undefined {
    const providerMetadata = this.#textMetadata.get(id);
    this.#textMetadata.delete(id);
    const streamId = this.#streamIds.get(id);
    if (providerMetadata === undefined || streamId === undefined) return undefined;
    return { type: 'text', runId: this.#runId, id: streamId, content: '', callId: this.#callId, providerMetadata };
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

  #call({
    toolCallId,
    toolName,
    input,
    providerExecuted,
    providerMetadata,
  }: LanguageModelV3ToolCall): EventOf<'tool_call'> {
    const metadata = providerMetadata && { providerMetadata };
    const id = this.#open.get(toolCallId)?.id ?? this.#callIds.next(toolCallId);
    this.#open.delete(toolCallId);
    this.#emittedCalls.add(id);
    const call: EventOf<'tool_call'> = {
      type: 'tool_call',
      runId: this.#runId,
      id,
      name: toolName,
      input: parsed(input),
      ...metadata,
    };
    if (providerExecuted !== true) {
      this.#calls.push(call);
      return call;
    }
    this.#executed.set(toolCallId, id);
    return { ...call, executedBy: this.#provider };
  }

  /** A result of a call that the provider executed; one of a call in an earlier answer is not understood. */
  #result(part: LanguageModelV3ToolResult): AgentEvent {
    const runId = this.#runId;
    const { toolName: name, result, isError, preliminary, providerMetadata } = part;
    const id = this.#executed.get(part.toolCallId);
    if (id === undefined) return { type: 'unknown', runId, raw: part };
    if (preliminary === true)
      return { type: 'tool_progress', runId, id: newId(), toolCallId: id, name, content: result };
    this.#executed.delete(part.toolCallId);
    const metadata = providerMetadata && { providerMetadata };
    const output =
      isError === true
        ? { error: typeof result === 'string' ? result : JSON.stringify(result), result }
        : { context: result, result };
    return { type: 'tool_result', runId, id, name, output, ...metadata };
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
    ...defined({
      cacheReadTokens: inputTokens.cacheRead,
      cacheWriteTokens: inputTokens.cacheWrite,
      reasoningTokens: outputTokens.reasoning,
    }),
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
