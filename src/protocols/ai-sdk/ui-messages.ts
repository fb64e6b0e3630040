import * as z from 'zod';
import { optionsCheck } from '../../base/options/check-options.ts';
import { name } from '../../base/options/option-fields.ts';
import type { ViewNode, ViewPart } from '../../projections/reading/view-node.ts';
import { fileData } from '../request/fact.ts';
import { acceptable } from './acceptable.ts';
import { type AiSdkVersion, aiSdkVersions } from './chunk.ts';
import { contentParts } from './content-parts.ts';
import { customPart, userPart } from './data-parts.ts';
import type { UiMessage, UiPart } from './ui-message.ts';
import { relayDataPart } from './ui-relay.ts';
import { agentParts, type ClientKind, toolParts } from './ui-tool-parts.ts';
import { defined } from '../../base/defined.ts';

export interface UiMessagesOptions {
  /** The version of the client; the newest when absent. */
  readonly version?: AiSdkVersion | undefined;
  /** The tools that the client declares: their calls are parts of the type `tool-<name>`; others are `dynamic-tool` parts. */
  readonly clientTools?: readonly string[] | undefined;
  readonly threadId?: string | undefined;
}

const checkOptions = optionsCheck<UiMessagesOptions>('uiMessages')(() => ({
  version: z.literal(aiSdkVersions).optional(),
  clientTools: z.array(name()).optional(),
  threadId: name().optional(),
}));

/**
 * Returns a thread, as a person reads it, as the messages of an AI SDK client: the initial messages of a chat. An answer
 * that is under way is left out, because the stream delivers it from its start; so is a message without parts, which
 * clients refuse.
 */
export function uiMessages(nodes: Iterable<ViewNode>, options: UiMessagesOptions = {}): UiMessage[] {
  checkOptions(options);
  const { version = 7, clientTools = [], threadId } = options;
  const client: ClientKind = { version, clientTools };
  const messages: UiMessage[] = [];
  for (const node of nodes) {
    if (node.status === 'running') continue;
    const parts = newestData(partsOf(node, client)).map(acceptable);
    if (parts.length === 0) continue;
    const { runId = node.id, agentId: agentName = runId } = node;
    const metadata = { runId, agentName, ...defined({ threadId }) };
    if (node.role === 'assistant') messages.push({ id: runId, role: 'assistant', metadata, parts });
    else messages.push({ id: node.id, role: node.role === 'user' ? 'user' : 'system', parts });
  }
  return messages;
}

/** Data parts of one id stand for one thing: the newest takes the place of the first, as in a client. */
function newestData(parts: readonly UiPart[]): UiPart[] {
  const byKey = new Map<unknown, UiPart>();
  for (const part of parts) {
    const { type, id } = part;
    byKey.set(type.startsWith('data-') && typeof id === 'string' ? `${type} ${id}` : part, part);
  }
  return [...byKey.values()];
}

function partsOf(node: ViewNode, client: ClientKind): UiPart[] {
  if (node.role === 'summary') return [{ type: 'text', text: node.text }];
  if (node.role === 'assistant') return [...node.partList].flatMap(part => assistantParts(part, node, client));
  return [...node.partList].flatMap(part => (part.kind === 'user' ? contentParts(part.content).map(asPart) : []));
}

function assistantParts(part: ViewPart, node: ViewNode, client: ClientKind): UiPart[] {
  switch (part.kind) {
    case 'text':
    case 'reasoning':
      return [{ type: part.kind, text: part.text, state: 'done' }];
    case 'user':
      return part.automatic !== true ? [asPart(userPart(client.version, part.id, part.content))] : [];
    case 'relay':
      return [asPart(relayDataPart(part))];
    case 'tool':
    case 'repl':
      return toolParts(part, client);
    case 'run':
      return part.runs.flatMap(run => agentParts(run, undefined, client));
    case 'fact':
      return factParts(part.event, node);
    default:
      return part satisfies never;
  }
}

/** What the stream keeps of other events; an error only when the run ended with it. */
function factParts(event: Extract<ViewPart, { kind: 'fact' }>['event'], node: ViewNode): UiPart[] {
  switch (event.type) {
    case 'file_registered':
      return [{ type: 'data-file-registered', id: event.id, data: fileData(event) }];
    case 'tasks':
      return [{ type: 'data-tasks', id: 'tasks', data: { tasks: event.tasks } }];
    case 'plan_status':
      return [{ type: 'data-plan', id: event.planId, data: { planId: event.planId, status: event.to } }];
    case 'custom':
      return [asPart(customPart(event.name, event.data))];
    case 'error': {
      const { message, code = 'agent_failed' } = event;
      return node.status === 'error' ? [{ type: 'data-error', data: { message, code } }] : [];
    }
    default:
      return [];
  }
}

function asPart(part: { readonly type: string }): UiPart {
  return { ...part };
}
