import type { ContentPart } from '../../events/content.ts';
import { isToolParseError, toToolOutput } from '../../events/tools.ts';
import type { EventOf } from '../../events/vocabulary.ts';

/** A part of a message as the conventions describe it. */
export type MessagePart = Readonly<Record<string, unknown>> & { readonly type: string };

export interface ContentMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly parts: readonly MessagePart[];
  readonly finish_reason?: string;
}

/** The longest attribute, in characters. */
export const longestAttribute = 32_768;

/** Returns a user message; images and files are only named. */
export function toUserMessage(content: string | readonly ContentPart[]): ContentMessage {
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  return { role: 'user', parts: parts.map(toPart) };
}

function toPart(part: ContentPart): MessagePart {
  if (part.type === 'text') return { type: 'text', content: part.text };
  const modality = part.mediaType.split('/')[0] ?? '';
  return { type: 'blob', modality, mime_type: part.mediaType, content: '' };
}

/** Returns the result of a call as a message. */
export function toToolMessage({ id, output }: Pick<EventOf<'tool_result'>, 'id' | 'output'>): ContentMessage {
  return { role: 'tool', parts: [{ type: 'tool_call_response', id, response: toResponse(output) }] };
}

/** Returns the result of a call as the model reads it. */
export function toResponse(output: unknown): unknown {
  const shown = toToolOutput(output);
  return 'context' in shown ? shown.context : 'error' in shown ? shown.error : shown.reason;
}

/** Returns the arguments of a call; those that were no JSON as the model wrote them. */
export function toArguments(input: unknown): unknown {
  return isToolParseError(input) ? input.rawArguments : input;
}

/** Returns a value as JSON of bounded length: long texts in it are cut, which `isCut` reports. */
export function fitJson(value: unknown): { readonly json: string; readonly isCut: boolean } {
  for (const longest of [Number.POSITIVE_INFINITY, 8192, 1024, 128]) {
    const json = JSON.stringify(value, (_key, each: unknown) =>
      typeof each === 'string' && each.length > longest ? `${each.slice(0, longest)}…` : each,
    );
    if (json === undefined) break;
    if (json.length <= longestAttribute) return { json, isCut: longest !== Number.POSITIVE_INFINITY };
  }
  return { json: 'null', isCut: true };
}

type ToolDescription = Readonly<Record<string, unknown>>;

/** The system prompts and tools sent to the models of a thread, as far as spans show them. */
export class ModelContexts {
  readonly #contexts = new Map<string, EventOf<'model_context'>>();
  readonly #tools = new Map<string, ToolDescription>();

  take(event: EventOf<'model_context'>): void {
    this.#contexts.set(event.id, event);
    for (const { id, tool } of event.tools) if (tool !== undefined) this.#tools.set(id, tool);
  }

  get(id: string | undefined): EventOf<'model_context'> | undefined {
    return id === undefined ? undefined : this.#contexts.get(id);
  }

  /** Returns the tools that a context offers. */
  tools(id: string | undefined): ToolDescription[] {
    return (this.get(id)?.tools ?? []).flatMap<ToolDescription>(tool => this.#tools.get(tool.id) ?? []);
  }
}
