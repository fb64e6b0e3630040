import { textOfContent } from '../../events/content-text.ts';
import type { Mutable } from '../../base/mutable.ts';
import { optionsCheck } from '../../base/options/check-options.ts';
import { flag } from '../../base/options/option-fields.ts';
import type { Active } from '../../graph/conversation/active.ts';
import type { Block, Message as ConversationMessage, Run, Summary } from '../../graph/conversation/record.ts';
import {
  getChange,
  getBlocks,
  getMessage,
  getRun,
  getSummaries,
  isCollapsed,
  type Mark,
  getMark,
  touchedSince,
  getFollowers,
} from '../../graph/conversation/queries.ts';
import type { Conversation } from '../../graph/conversation/conversation.ts';
import { conversationFold, type Fold } from '../fold.ts';
import { partsOfMessage } from './message-parts.ts';
import { PagedList } from './paged-list.ts';
import { buildSpans } from './spans.ts';
import { type PartContext, partsOfBlock } from './thread-parts.ts';
import type { ToolPart, ViewNode, ViewPart } from './view-node.ts';

export interface ThreadOptions {
  readonly hideReasoning?: boolean;
  /** Folds every call that the user has not unfolded. The full history ignores folds and unfolds by the user. */
  readonly collapseTools?: boolean;
  /** Shows the messages that summaries cover instead of the summaries. */
  readonly showSources?: boolean;
}

const checkOptions = optionsCheck<ThreadOptions>('projectThread')(() => ({
  hideReasoning: flag().optional(),
  collapseTools: flag().optional(),
  showSources: flag().optional(),
}));

/**
 * A conversation as a person reads it: one node for each message, its parts in the order in which they happened,
 * subagents inside the call that started them. Parts that did not change are the same objects in later views.
 */
export function projectThread(conversation: Conversation, active: Active, options: ThreadOptions = {}): ViewNode[] {
  checkOptions(options);
  const context = createContext(conversation, active, options);
  const isWhole = active.full || options.showSources === true;
  if (isWhole || getSummaries(conversation).length === 0) return branchNodes(conversation, active, context).slice();
  const isFolded = ({ id }: Summary) => isCollapsed(conversation, id) !== false;
  const spans = buildSpans(conversation, active, isFolded);
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
  checkOptions(options);
  return conversationFold((conversation, active) => projectThread(conversation, active, options));
}

/** The whole of what is active, summaries left out, as a list that shares what did not change with the ones before. */
export function readBranch(conversation: Conversation, active: Active): PagedList<ViewNode> {
  return branchNodes(conversation, active, createContext(conversation, active, {}));
}

function createContext(conversation: Conversation, { full }: Active, options: ThreadOptions): PartContext {
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

/** A branch as it was last shown. */
interface ShownBranch {
  readonly mark: Mark;
  readonly key: string;
  readonly messages: readonly string[];
  readonly nodes: PagedList<ViewNode>;
}

const shown = new WeakMap<object, ShownBranch>();

/** The nodes of a branch; of one that was looked at before, or that it continues, only what changed since is looked at. */
function branchNodes(conversation: Conversation, active: Active, context: PartContext): PagedList<ViewNode> {
  const mark = getMark(conversation);
  const before = shown.get(mark.in);
  const touched = before && continues(active, before, context) ? touchedSince(conversation, before.mark) : undefined;
  const { messages } = active;
  const old = before === undefined || touched === undefined ? PagedList.of<ViewNode>([]) : before.nodes;
  const added = messages.slice(old.length).flatMap(id => keptNode(conversation, id, context) ?? []);
  let nodes = old.withEnd(old.length, added);
  const renew = (place: number) => {
    const id = place < 0 || place >= old.length ? undefined : messages[place];
    const node = id === undefined ? undefined : keptNode(conversation, id, context);
    if (node !== undefined) nodes = nodes.with(place, node);
  };
  // In everything a message has any number of followers.
  const places = active.full && touched ? new Map(messages.map((id, place) => [id, place])) : undefined;
  for (const id of new Set(touched)) {
    const place = places?.get(id) ?? (places || id === '' ? -1 : messages.lastIndexOf(id));
    renew(place);
    if (places) for (const follower of getFollowers(conversation, id)) renew(places.get(follower) ?? -1);
    else if (id === '' || place >= 0) renew(place + 1);
  }
  shown.set(mark.in, { mark, key: context.key, messages, nodes });
  return nodes;
}

/** Whether a branch is another one, or that with more messages: a message is preceded by the same ones on every branch. */
function continues({ messages }: Active, before: ShownBranch, { key }: PartContext): boolean {
  const last = before.messages.length - 1;
  return before.key === key && before.nodes.length > last && messages[last] === before.messages[last];
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
  if (whole !== undefined) return whole;
  const parts = blocks.flatMap(block => partsOfBlock(conversation, block, context));
  return buildNode(conversation, message, PagedList.of(parts), context);
}

const kept = new WeakMap<ConversationMessage, { change: number; siblings: number; key: string; node: ViewNode }>();

/** The node of a message, made only once as long as the message does not change and gets no siblings. */
function keptNode(conversation: Conversation, messageId: string, context: PartContext): ViewNode | undefined {
  const message = getMessage(conversation, messageId);
  if (message === undefined) return undefined;
  const change = getChange(conversation, 'message', message.id);
  const siblings = getChange(conversation, 'followers', message.parentMessageId ?? '');
  const before = kept.get(message);
  if (before?.change === change && before.siblings === siblings && before.key === context.key) return before.node;
  const node = buildNode(conversation, message, partsOfMessage(conversation, message, context), context);
  kept.set(message, { change, siblings, key: context.key, node });
  return node;
}

function buildNode(
  conversation: Conversation,
  message: ConversationMessage,
  partList: PagedList<ViewPart>,
  context: PartContext,
): ViewNode {
  const { id, role, runId } = message;
  const collapsed = !context.full && isCollapsed(conversation, id) === true;
  const run = role === 'assistant' ? getRun(conversation, runId) : undefined;
  const cause = run?.parentId === undefined ? undefined : getMessage(conversation, run.parentId);
  const shownParts = collapsed ? PagedList.of<ViewPart>([]) : partList;
  let text: string | undefined;
  let toolCalls: readonly ToolPart[] | undefined;
  let siblings: ViewNode['siblings'] | undefined;
  const node: Mutable<ViewNode> = {
    id,
    role,
    runId,
    // Made when they are asked for: a run of many steps is shown again after each of them.
    get text() {
      return (text ??= textOfParts(partList, role));
    },
    get toolCalls() {
      return (toolCalls ??= shownParts.items.filter((part): part is ToolPart => part.kind === 'tool'));
    },
    get parts() {
      return shownParts.items;
    },
    partList: shownParts,
    get siblings() {
      return (siblings ??= listSiblings(conversation, message));
    },
    collapsed,
  };
  if (run !== undefined) setRun(node, run);
  if (cause?.role === 'user') node.answers = cause.id;
  return node;
}

/** The followers of a message as they were last listed; `places` may have later ones as well. */
interface ListedFollowers {
  readonly change: number;
  readonly moves: number;
  readonly ids: readonly string[];
  readonly places: Map<string, number>;
}

const listed = new WeakMap<object, Map<string, ListedFollowers>>();

/** The siblings of a message: those that were listed before are not looked at again. */
function listSiblings(
  conversation: Conversation,
  { id, parentMessageId = '', spawnedBy }: ConversationMessage,
): ViewNode['siblings'] {
  if (spawnedBy !== undefined) return { index: 0, count: 1, ids: [id] };
  const { ids, places } = listFollowers(conversation, parentMessageId);
  return { index: places.get(id) ?? -1, count: ids.length, ids };
}

function listFollowers(conversation: Conversation, messageId: string): ListedFollowers {
  const { in: store, moves } = getMark(conversation);
  const change = getChange(conversation, 'followers', messageId);
  const lists = listed.get(store) ?? new Map<string, ListedFollowers>();
  const before = lists.get(messageId);
  if (before?.change === change && before.moves === moves) return before;
  const isLater = before !== undefined && before.moves === moves && before.change < change;
  const old: Pick<ListedFollowers, 'ids' | 'places'> = isLater ? before : { ids: [], places: new Map() };
  const added = getFollowers(conversation, messageId, old.ids.length);
  for (const [index, id] of added.entries()) old.places.set(id, old.ids.length + index);
  const followers = { change, moves, ids: old.ids.concat(added), places: old.places };
  // One that is alone is found as fast as its list.
  if (followers.ids.length > 1) listed.set(store, lists.set(messageId, followers));
  return followers;
}

/** Fields are set one by one: a spread takes far longer. */
function setRun(node: Mutable<ViewNode>, { agentId, model, status, startedAt, endedAt, memory }: Run): void {
  if (agentId !== undefined) node.agentId = agentId;
  if (model !== undefined) node.model = model;
  node.status = status;
  if (startedAt !== undefined) node.startedAt = startedAt;
  if (endedAt !== undefined) node.endedAt = endedAt;
  if (memory !== undefined) node.memory = memory.operation;
}

function summaryNode({ id, text }: Summary, blocks: readonly Block[]): ViewNode {
  const covers = [...new Set(blocks.map(block => block.messageId))];
  const siblings = { index: 0, count: 1, ids: [id] };
  return {
    id,
    role: 'summary',
    text,
    toolCalls: [],
    parts: [],
    partList: PagedList.of<ViewPart>([]),
    siblings,
    collapsed: true,
    covers,
  };
}

/** Returns the texts of a message's author, separated by blank lines, without messages that steered a running agent. */
function textOfParts(parts: Iterable<ViewPart>, role: ViewNode['role']): string {
  const texts: string[] = [];
  for (const part of parts)
    if (part.kind === 'text') texts.push(part.text);
    else if (part.kind === 'user' && role === 'user') texts.push(textOfContent(part.content));
  return texts.filter(text => text !== '').join('\n\n');
}

/** One block of a message with its parts: a model call with its tools, or a user message. */
export interface ReadBlock {
  readonly block: Block;
  readonly parts: readonly ViewPart[];
}

/** Returns a message block by block, nothing folded. */
export function readBlocks(conversation: Conversation, messageId: string): ReadBlock[] {
  const context = createContext(conversation, { messages: [], full: true }, {});
  return getBlocks(conversation, messageId).map(block => ({
    block,
    parts: partsOfBlock(conversation, block, context),
  }));
}
