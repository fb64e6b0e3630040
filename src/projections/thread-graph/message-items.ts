import { textOfContent } from '../../events/content-text.ts';
import { toToolOutput } from '../../events/tools.ts';
import type { Block, Chunk, Message } from '../../graph/conversation/record.ts';
import type { Conversation } from '../../graph/conversation/conversation.ts';
import {
  getAnswer,
  getAttached,
  getBlocks,
  getChunks,
  getRun,
  isSuperseded,
  getChunkText,
} from '../../graph/conversation/queries.ts';
import { toGist } from '../timeline/timeline-step.ts';
import { type DagTier, foldRepeats, type GraphFace, type GraphItem, type GraphStatus } from './graph-item.ts';

/** The level of detail of a drawing. */
export interface GraphDetail {
  readonly by: DagTier;
  /** Whether repeats and finished subagents are one node, and results are part of their calls. */
  readonly isFolded: boolean;
  /** The folds that are open. */
  readonly expanded: ReadonlySet<string>;
}

/** The kinds of chunks that a drawing leaves out: reports and accounts. */
const undrawn: ReadonlySet<string> = new Set([
  'usage',
  'tool_start',
  'tool_input_delta',
  'tool_progress',
  'repl_progress',
]);

/** Makes the parts of messages, with the runs that they started inside of them. */
export class MessageItems {
  readonly #conversation: Conversation;
  readonly #detail: GraphDetail;
  readonly #spawned: ReadonlyMap<string, readonly Message[]>;

  constructor(conversation: Conversation, detail: GraphDetail, spawned: ReadonlyMap<string, readonly Message[]>) {
    this.#conversation = conversation;
    this.#detail = detail;
    this.#spawned = spawned;
  }

  /** The parts of a message in order. */
  of(message: Message): GraphItem[] {
    const { by, isFolded, expanded } = this.#detail;
    const blocks = getBlocks(this.#conversation, message.id).filter(({ state }) => state !== 'superseded');
    const own = this.#listRuns(message.id);
    if (by === 'message') {
      const chunks = blocks.flatMap(block => this.#chunks(block));
      const below = [...chunks.flatMap(({ id }) => this.#listRuns(id)), ...own];
      return [{ face: this.#messageFace(message, chunks), below: beside(below) }];
    }
    const items = blocks.flatMap(block => (by === 'block' ? this.#blockItem(block) : this.#blockItems(block)));
    const all = [...items, ...beside(own)];
    return isFolded ? foldRepeats(all, expanded) : all;
  }

  /** The runs that something started, each a frame, or a node when it is folded. */
  #listRuns(id: string): GraphItem[] {
    return (this.#spawned.get(id) ?? []).map(message => this.#runItem(message));
  }

  #runItem(message: Message): GraphItem {
    const { agentId = message.runId, status = 'running' } = getRun(this.#conversation, message.runId) ?? {};
    const { isFolded, expanded } = this.#detail;
    if (status === 'running' || !isFolded || expanded.has(message.id))
      return { frame: { id: message.id, label: agentId }, items: this.of(message) };
    const chunks = getBlocks(this.#conversation, message.id).flatMap(block => this.#chunks(block));
    const count = Math.max(1, chunks.filter(({ ownerId }) => ownerId === undefined).length);
    const face: GraphFace = {
      id: message.id,
      seq: chunks[0]?.event.seq ?? 0,
      kind: 'agent',
      label: agentId,
      detail: '',
      status: status === 'complete' ? 'done' : 'failed',
      fold: { id: message.id, count },
    };
    return { face, below: [] };
  }

  #blockItem(block: Block): GraphItem[] {
    const chunks = this.#chunks(block);
    const [first] = chunks;
    if (first === undefined) return [];
    const calls = chunks.filter(({ kind }) => kind === 'tool_call').map(chunk => getName(chunk));
    const text = chunks.find(({ kind }) => kind === 'text' || kind === 'user' || kind === 'repl_input');
    const failed = chunks.some(chunk => this.#getStatus(chunk) === 'failed');
    const face: GraphFace = {
      id: block.id,
      seq: first.event.seq ?? 0,
      kind: block.role === 'user' ? 'user' : 'assistant',
      label: block.role === 'user' ? 'You' : block.step === undefined ? 'Step' : `Step ${block.step + 1}`,
      detail: calls.length > 0 ? calls.join(', ') : text === undefined ? '' : this.#getText(text),
      status: failed ? 'failed' : 'done',
    };
    return [{ face, below: beside(chunks.flatMap(({ id }) => this.#listRuns(id))) }];
  }

  /** The parts of a step: its calls are side by side, because the model made them at once. */
  #blockItems(block: Block): GraphItem[] {
    const items: GraphItem[] = [];
    let calls: GraphItem[][] | undefined;
    for (const chunk of this.#chunks(block)) {
      if (chunk.ownerId !== undefined) continue;
      if (chunk.kind === 'tool_call' || chunk.kind === 'repl_input') {
        if (calls === undefined) items.push({ beside: (calls = []) });
        calls.push(this.#callItems(chunk));
      } else items.push({ face: this.#face(chunk), below: beside(this.#listRuns(chunk.id)) });
    }
    const { isFolded, expanded } = this.#detail;
    return items.flatMap(item => {
      if (!('beside' in item)) return [item];
      if (item.beside.length === 1) return item.beside.flat();
      const flat = item.beside.every(column => column.length === 1) ? foldRepeats(item.beside.flat(), expanded) : [];
      return isFolded && flat.length === 1 ? flat : [item];
    });
  }

  #callItems(call: Chunk): GraphItem[] {
    const attached = getAttached(this.#conversation, call.id).filter(({ kind }) => !undrawn.has(kind));
    const runs = [call.id, ...attached.map(({ id }) => id)].flatMap(id => this.#listRuns(id));
    const face = this.#face(call);
    const questions = attached.filter(({ kind }) => kind === 'relay');
    if (this.#detail.isFolded) {
      const open = questions.filter(({ id }) => getAnswer(this.#conversation, id) === undefined);
      const asked = open.map(chunk => ({ face: this.#face(chunk), below: [] }));
      return [{ face, below: [...asked, ...beside(runs)] }];
    }
    const node = (chunk: Chunk) => ({ face: this.#face(chunk), below: [] });
    const results = attached.filter(({ kind }) => kind !== 'relay');
    return [node(call), ...questions.map(node), ...beside(runs), ...results.map(node)];
  }

  #chunks(block: Block): Chunk[] {
    return getChunks(this.#conversation, block.id).filter(
      chunk => !undrawn.has(chunk.kind) && !isSuperseded(this.#conversation, chunk),
    );
  }

  #messageFace(message: Message, chunks: readonly Chunk[]): GraphFace {
    const lastText = chunks.findLast(({ kind }) => kind === 'text' || kind === 'user');
    const run = getRun(this.#conversation, message.runId);
    const status: GraphStatus =
      message.role === 'user' || run?.status === 'complete' ? 'done' : run?.status === 'running' ? 'running' : 'failed';
    return {
      id: message.id,
      seq: chunks[0]?.event.seq ?? 0,
      kind: message.role === 'user' ? 'user' : 'assistant',
      label: message.role === 'user' ? 'You' : (run?.agentId ?? message.role),
      detail: lastText === undefined ? '' : this.#getText(lastText),
      status,
    };
  }

  #face(chunk: Chunk): GraphFace {
    const { id, kind, event } = chunk;
    const base = { id, seq: event.seq ?? 0, kind, status: this.#getStatus(chunk) };
    if (event.type === 'tool_call') return { ...base, label: event.name, detail: inputGist(event.input) };
    if (event.type === 'tool_result') return { ...base, label: event.name, detail: outputGist(event.output) };
    return { ...base, label: '', detail: this.#getText(chunk) };
  }

  #getText({ id, event }: Chunk): string {
    if (event.type === 'user') return toGist(textOfContent(event.content));
    if (event.type === 'repl_input') return toGist(event.code);
    if (event.type === 'repl_output') return toGist(event.error ?? event.stdout);
    if (event.type === 'relay') return event.relayKind === 'question' ? toGist(event.question) : event.relayKind;
    if ('content' in event && typeof event.content === 'string')
      return toGist(getChunkText(this.#conversation, id) || event.content);
    return 'message' in event && typeof event.message === 'string' ? toGist(event.message) : '';
  }

  #getStatus({ id, kind, event }: Chunk): GraphStatus {
    if (kind === 'error') return 'failed';
    if (kind === 'relay') return getAnswer(this.#conversation, id) === undefined ? 'waiting' : 'done';
    if (event.type === 'tool_result') return outcome(event.output);
    if (event.type === 'repl_output') return event.error === undefined ? 'done' : 'failed';
    if (kind !== 'tool_call' && kind !== 'repl_input') return 'done';
    const attached = getAttached(this.#conversation, id);
    const end = attached.find(chunk => chunk.kind === 'tool_result' || chunk.kind === 'repl_output');
    if (end !== undefined) return this.#getStatus(end);
    return attached.some(chunk => this.#getStatus(chunk) === 'waiting') ? 'waiting' : 'running';
  }
}

/** Several parts side by side, when there are several. */
function beside(items: readonly GraphItem[]): GraphItem[] {
  return items.length > 1 ? [{ beside: items.map(item => [item]) }] : [...items];
}

function outcome(output: unknown): GraphStatus {
  const known = toToolOutput(output);
  return 'status' in known ? 'denied' : 'error' in known ? 'failed' : 'done';
}

function getName({ event }: Chunk): string {
  return event.type === 'tool_call' ? event.name : '';
}

function inputGist(input: unknown): string {
  if (typeof input === 'string') return toGist(input);
  if (typeof input !== 'object' || input === null) return '';
  const text = Object.values(input).find(value => typeof value === 'string' && value !== '');
  return typeof text === 'string' ? toGist(text) : '';
}

function outputGist(output: unknown): string {
  const known = toToolOutput(output);
  if ('status' in known) return known.reason;
  if ('error' in known) return toGist(known.error);
  return typeof known.context === 'string' ? toGist(known.context) : '';
}
