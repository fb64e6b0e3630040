import {
  type Active,
  type Block,
  changeOf,
  type Conversation,
  type ConversationMessage,
  getBlocks,
  getMessage,
  getRun,
  getSiblings,
  getSummaries,
  isCollapsed,
  type Mark,
  markOf,
  type Summary,
  touchedSince,
} from '../graph/index.ts';
import { conversationFold, type Fold } from './fold.ts';
import { spansOf } from './spans.ts';
import { type PartContext, partsOfBlock } from './thread-parts.ts';
import type { ToolPart, ViewNode, ViewPart } from './view-node.ts';

export interface ThreadOptions {
  readonly hideReasoning?: boolean;
  /** Folds every call that nobody unfolded. What people folded is shown whole in the full history. */
  readonly collapseTools?: boolean;
}

/**
 * A conversation as a person reads it: one node for each message, its parts in the order in which they happened,
 * subagents inside the call that started them. Parts that did not change are the same objects in later views.
 */
export function projectThread(conversation: Conversation, active: Active, options: ThreadOptions = {}): ViewNode[] {
  const context = contextOf(conversation, active, options);
  if (active.full || getSummaries(conversation).length === 0) return branchNodes(conversation, active, context);
  const isFolded = ({ id }: Summary) => isCollapsed(conversation, id) !== false;
  const spans = spansOf(conversation, active, isFolded);
  const nodes: ViewNode[] = [];
  let open: { messageId: string; blocks: Block[] } | undefined;
  const close = () => {
    const message = open && getMessage(conversation, open.messageId);
    if (open && message) nodes.push(partialNode(conversation, message, open.blocks, context));
    open = undefined;
  };
  for (const span of spans)
    if ('summary' in span) {
      close();
      nodes.push(summaryNode(span.summary, span.blocks));
    } else if (open?.messageId === span.block.messageId) open.blocks.push(span.block);
    else {
      close();
      open = { messageId: span.block.messageId, blocks: [span.block] };
    }
  close();
  return nodes;
}

/** The active branch as a person reads it, as a fold. */
export function threadFold(options: ThreadOptions = {}): Fold<Conversation, ViewNode[]> {
  return conversationFold((conversation, active) => projectThread(conversation, active, options));
}

function contextOf(conversation: Conversation, { full }: Active, options: ThreadOptions): PartContext {
  const { hideReasoning = false, collapseTools = false } = options;
  const context: PartContext = {
    full,
    hideReasoning,
    isFolded: id => (full ? collapseTools : (isCollapsed(conversation, id) ?? collapseTools)),
    key: `${full} ${hideReasoning} ${collapseTools}`,
    nodesOf: ids => ids.flatMap(id => keptNode(conversation, id, context) ?? []),
  };
  return context;
}

const branches = new WeakMap<
  Active,
  { readonly mark: Mark; readonly key: string; readonly nodes: readonly ViewNode[] }
>();

/** The nodes of a branch; when it was looked at before, only those that changed since are looked at again. */
function branchNodes(conversation: Conversation, active: Active, context: PartContext): ViewNode[] {
  const before = branches.get(active);
  const touched = before?.key === context.key ? touchedSince(conversation, before.mark) : undefined;
  const nodes = before && touched ? [...before.nodes] : [...context.nodesOf(active.messages)];
  for (const id of new Set(touched)) {
    const place = active.messages.lastIndexOf(id);
    const node = place < 0 ? undefined : keptNode(conversation, id, context);
    if (node !== undefined) nodes[place] = node;
  }
  branches.set(active, { mark: markOf(conversation), key: context.key, nodes });
  return [...nodes];
}

/** The node of a message of which only some blocks are shown. */
function partialNode(
  conversation: Conversation,
  message: ConversationMessage,
  blocks: readonly Block[],
  context: PartContext,
): ViewNode {
  const isWhole = blocks.length === getBlocks(conversation, message.id).length;
  const whole = isWhole ? keptNode(conversation, message.id, context) : undefined;
  return whole ?? nodeOf(conversation, message, blocks, context);
}

const kept = new WeakMap<ConversationMessage, { change: number; siblings: number; key: string; node: ViewNode }>();

/** The node of a message, made only once as long as the message does not change and gets no siblings. */
function keptNode(conversation: Conversation, messageId: string, context: PartContext): ViewNode | undefined {
  const message = getMessage(conversation, messageId);
  if (message === undefined) return undefined;
  const change = changeOf(conversation, 'message', message.id);
  const siblings = changeOf(conversation, 'followers', message.parentMessageId ?? '');
  const before = kept.get(message);
  if (before?.change === change && before.siblings === siblings && before.key === context.key) return before.node;
  const node = nodeOf(conversation, message, getBlocks(conversation, message.id), context);
  kept.set(message, { change, siblings, key: context.key, node });
  return node;
}

function nodeOf(
  conversation: Conversation,
  message: ConversationMessage,
  blocks: readonly Block[],
  context: PartContext,
): ViewNode {
  const { id, role, runId } = message;
  const collapsed = !context.full && isCollapsed(conversation, id) === true;
  const parts = blocks.flatMap(block => partsOfBlock(conversation, block, context));
  const run = role === 'assistant' ? getRun(conversation, runId) : undefined;
  const ids = getSiblings(conversation, message);
  return {
    id,
    role,
    runId,
    text: textOfParts(parts, role),
    toolCalls: collapsed ? [] : parts.filter((part): part is ToolPart => part.kind === 'tool'),
    parts: collapsed ? [] : parts,
    siblings: { index: ids.indexOf(id), count: ids.length, ids },
    collapsed,
    ...(run?.agentId !== undefined && { agentId: run.agentId }),
    ...(run?.model !== undefined && { model: run.model }),
    ...(run !== undefined && { status: run.status }),
  };
}

function summaryNode({ id, text }: Summary, blocks: readonly Block[]): ViewNode {
  const covers = [...new Set(blocks.map(block => block.messageId))];
  const siblings = { index: 0, count: 1, ids: [id] };
  return { id, role: 'summary', text, toolCalls: [], parts: [], siblings, collapsed: true, covers };
}

/** The words of a message: of its author, so a word to an agent at work is none of the agent's. */
function textOfParts(parts: readonly ViewPart[], role: ViewNode['role']): string {
  let text = '';
  for (const part of parts) {
    if (part.kind === 'text') text += part.text;
    else if (part.kind === 'user' && role === 'user')
      text +=
        typeof part.content === 'string'
          ? part.content
          : part.content.map(piece => (piece.type === 'text' ? piece.text : '')).join('');
  }
  return text;
}
