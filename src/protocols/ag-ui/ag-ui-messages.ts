import { defined } from '../../base/defined.ts';
import type { ContentPart } from '../../events/content.ts';
import type { UserPart, ViewNode, ViewPart } from '../../projections/reading/view-node.ts';
import { showCall } from '../request/shown-call.ts';
import type { AgUiContentPart, AgUiMessage, AgUiToolCall } from './ag-ui-event.ts';
import { reasoningMessageId, resultMessageId, tasksMessageId, textMessageId } from './message-ids.ts';
import { toArguments, toResultText } from './tool-result.ts';

/** Returns a thread, as a person reads it, as messages of AG-UI clients, with the ids that the stream gives them. */
export function agUiMessages(nodes: Iterable<ViewNode>): AgUiMessage[] {
  const messages = new MessageList();
  for (const node of nodes) messages.add(node);
  return messages.messages;
}

class MessageList {
  readonly #byId = new Map<string, AgUiMessage>();
  /** The text that calls after it belong to. */
  #text: string | undefined;

  get messages(): AgUiMessage[] {
    return [...this.#byId.values()];
  }

  add(node: ViewNode): void {
    const { id, role, text } = node;
    this.#text = undefined;
    if (role === 'summary' || role === 'system') this.#put({ id, role: 'system', content: text });
    else
      for (const part of node.partList)
        if (role === 'assistant') this.#addPart(part, node.runId ?? id);
        else if (part.kind === 'user') this.#addUser(part);
  }

  #addPart(part: ViewPart, runId: string): void {
    switch (part.kind) {
      case 'text':
        this.#text = textMessageId(runId, part.id);
        return this.#put({ id: this.#text, role: 'assistant', content: part.text });
      case 'reasoning':
        return this.#put({ id: reasoningMessageId(runId, part.id), role: 'reasoning', content: part.text });
      case 'user':
        return part.automatic === true ? undefined : this.#addUser(part);
      case 'tool':
      case 'repl':
        return this.#addCall(part);
      case 'run':
        return this.#addAgents(part.runs);
      case 'fact': {
        const { event } = part;
        if (event.type !== 'tasks') return;
        const { tasks } = event;
        const shown = { role: 'activity', activityType: 'PLAN', content: { tasks } } as const;
        return this.#put({ id: tasksMessageId(runId), ...shown });
      }
      case 'relay':
        return;
      default:
        part satisfies never;
    }
  }

  #addUser({ id, messageId = id, content }: UserPart): void {
    this.#put({ id: messageId, role: 'user', content: toContent(content) });
  }

  #addCall(part: Extract<ViewPart, { kind: 'tool' | 'repl' }>, subagentRunId?: string): void {
    const call = showCall(part);
    if (call === undefined) return;
    const { id, toolName, input, output } = call;
    const toolCall: AgUiToolCall = {
      id,
      type: 'function',
      function: { name: toolName, arguments: toArguments(input) },
    };
    const ofAgent = defined({ subagentRunId });
    const parent = subagentRunId === undefined && this.#text !== undefined ? this.#byId.get(this.#text) : undefined;
    if (parent?.role === 'assistant') this.#put({ ...parent, toolCalls: [...(parent.toolCalls ?? []), toolCall] });
    else this.#put({ id, role: 'assistant', toolCalls: [toolCall], ...ofAgent });
    this.#addAgents(call.runs);
    if (output === undefined) return;
    this.#put({ id: resultMessageId(id), role: 'tool', toolCallId: id, ...toResultText(output), ...ofAgent });
  }

  /** Of a subagent its calls are shown, as in the stream; nothing of an observer. */
  #addAgents(runs: readonly ViewNode[]): void {
    for (const run of runs.filter(({ memory }) => memory === undefined))
      for (const part of run.partList)
        if (part.kind === 'tool' || part.kind === 'repl') this.#addCall(part, run.runId ?? run.id);
        else if (part.kind === 'run') this.#addAgents(part.runs);
  }

  /** A message takes the place of one with its id. */
  #put(message: AgUiMessage): void {
    this.#byId.set(message.id, message);
  }
}

function toContent(content: string | readonly ContentPart[]): string | AgUiContentPart[] {
  return typeof content === 'string' ? content : content.map(toContentPart);
}

function toContentPart(part: ContentPart): AgUiContentPart {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { data: value, mediaType: mimeType } = part;
  const type = part.type === 'image' ? 'image' : 'document';
  return { type, source: { type: /^(https?|data):/.test(value) ? 'url' : 'data', value, mimeType } };
}
