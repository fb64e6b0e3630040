import * as z from 'zod';
import { defined } from '../base/defined.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import type { RunAdditions } from '../events/run-additions.ts';
import type { Thread } from '../log/event-log.ts';
import { agUiMessages } from '../protocols/ag-ui/ag-ui-messages.ts';
import type { RelayBook, RelayEntry } from '../projections/relay-book.ts';
import type { AgUiMessage } from '../protocols/ag-ui/ag-ui-event.ts';
import type { AgUiRunBody, AgUiToolMessage, AgUiUserMessage } from '../protocols/http-ag-ui.ts';
import { type RelayBody, messageBody } from '../protocols/http-api.ts';
import { isForClient, parseInterruptId, toRelayAnswer } from '../protocols/ag-ui/interrupt.ts';
import { readRequests } from '../runtime/requests.ts';
import { answerPending, findLaterRun, openTurn, readChat } from './chat.ts';
import { describeSender, type Scope } from './security/caller.ts';
import type { Site } from './site.ts';
import type { ContentPart } from '../events/content.ts';
import { newId } from '../events/ids.ts';

/** The run to stream to an AG-UI client, and the position up to which the client has it. */
export interface AgUiTurn {
  /** Resolves when the run starts, which may wait for another run. */
  readonly runId: string | Promise<string>;
  /** The seq before its first event. */
  readonly from: number;
  /** The seq up to which the client has it. */
  readonly after: number;
}

/** A pending client call and the result sent by the client. */
export interface ClientResult {
  readonly entry: RelayEntry;
  readonly message: AgUiToolMessage;
}

/** An authorized request of a client, with its thread and agent. */
export interface AgUiRequest {
  readonly thread: Thread;
  readonly agent: string;
  readonly body: AgUiRunBody;
  readonly scope: Scope;
}

/** Throws `invalid_argument` when nothing in a request is new. */
export function checkRun({ messages, resume = [] }: AgUiRunBody): void {
  const last = messages.at(-1)?.role ?? 'nobody';
  if (resume.length === 0 && last !== 'user' && last !== 'tool')
    throw new SingletreeError(
      'invalid_argument',
      `The last message is of "${last}". Expected a new message of the user, the result of a call of a client's tool, or "resume" with the answers to interrupts.`,
    );
}

/** Returns what a client adds to the agent: its tools, and its context as instructions; undefined when it adds nothing. */
export function readAdditions({ tools = [], context = [] }: AgUiRunBody): RunAdditions | undefined {
  if (tools.length === 0 && context.length === 0) return undefined;
  const listed = tools.map(({ name, description, parameters }) => ({
    name,
    ...defined({ description: description ?? undefined, parameters: parameters ?? undefined }),
  }));
  const entries = context.map(({ description, value }) => `${description}:\n${value}`);
  return {
    ...(tools.length > 0 && { tools: listed }),
    ...(context.length > 0 && { instructions: ['The application says about its state:', ...entries].join('\n\n') }),
  };
}

/**
 * Handles the run request of a client. The log has the conversation, so only new input is used: answers to interrupts,
 * the last user message, which is sent or replaces an earlier one, or a message to retry.
 */
export async function takeRun(site: Site, request: AgUiRequest): Promise<AgUiTurn> {
  const { body, thread } = request;
  const results = findResults(await site.conversations.inbox.of(thread), body);
  if (body.resume?.length || results.length > 0) return resumeRun(site, request, results);
  if (body.messages.at(-1)?.role === 'tool') return followRun(site, thread, body);
  return sendLast(site, request);
}

/** Returns the pending client calls for which a request has results. */
export function findResults(book: RelayBook, { messages }: AgUiRunBody): ClientResult[] {
  return book.pending.flatMap(entry => {
    const { relay } = entry;
    if (!isForClient({ event: relay })) return [];
    const message = messages.findLast(each => each.role === 'tool' && isForCall(each.toolCallId, relay.toolCallId));
    return message?.role === 'tool' ? [{ entry, message }] : [];
  });
}

/** Whether a wire id belongs to a call; the wire id of a repeated call has a suffix. */
function isForCall(key: string, id: string | undefined): boolean {
  return id !== undefined && (key === id || (key.startsWith(`${id}~`) && /^\d+$/.test(key.slice(id.length + 1))));
}

/** Streams the run of a client whose results another request has already delivered. */
async function followRun(site: Site, thread: Thread, body: AgUiRunBody): Promise<AgUiTurn> {
  const requests = await readRequests(site.options.log, thread);
  const after = readSeenSeq(body);
  const newest = requests.findLast(({ startSeq }) => startSeq <= after) ?? requests.at(-1);
  if (newest === undefined)
    throw new SingletreeError('run_not_found', `No call in the thread "${thread.id}" waits for a result.`);
  return { runId: newest.runId, from: newest.startSeq - 1, after };
}

/**
 * Returns the snapshots that give a client the messages of a thread, without those of a streamed run. A client keeps
 * the order of known messages, so when that order is wrong a first snapshot removes those after the first missing one.
 */
export async function readSnapshots(site: Site, thread: Thread, { messages }: AgUiRunBody, runId?: string) {
  const nodes = await readChat(site, thread);
  const history = agUiMessages(nodes.filter(node => runId === undefined || node.runId !== runId));
  const has = new Set(messages.map(message => (message.role === 'tool' ? message.toolCallId : message.id)));
  // The client chooses the message id of a client tool's result, so results are matched by the id of their call.
  const isKnown = (message: AgUiMessage) => has.has(message.role === 'tool' ? message.toolCallId : message.id);
  const missing = history.findIndex(each => each.role !== 'activity' && each.role !== 'reasoning' && !isKnown(each));
  const isOrdered = missing === -1 || !history.slice(missing).some(isKnown);
  return { isComplete: missing === -1, snapshots: isOrdered ? [history] : [history.slice(0, missing), history] };
}

/** Returns the open run of a thread, to be streamed from its start; undefined when none is open. */
export async function findOpenRun(site: Site, thread: Thread): Promise<AgUiTurn | undefined> {
  const turn = await openTurn(site, thread);
  if (turn === undefined) return undefined;
  const request = (await readRequests(site.options.log, thread)).find(({ runId }) => runId === turn.runId);
  return { runId: turn.runId, from: (request?.startSeq ?? 1) - 1, after: 0 };
}

/** Answers the pending relays and streams the run from the log; relays answered elsewhere keep their answers. */
async function resumeRun(
  site: Site,
  { thread, agent, body, scope }: AgUiRequest,
  results: readonly ClientResult[],
): Promise<AgUiTurn> {
  const { conversations } = site;
  const book = await conversations.inbox.of(thread);
  const answers = (body.resume ?? []).map(given => {
    const { relayId, seq } = parseInterruptId(given.interruptId);
    const entry = book.get(relayId);
    if (entry === undefined || seq > thread.seq)
      throw new SingletreeError(
        'relay_not_found',
        `The thread "${thread.id}" has no interrupt "${given.interruptId}".`,
        {
          details: { relayId },
        },
      );
    return { entry, seq, answer: toRelayAnswer(entry.relay, given) };
  });
  // A client that has the result of a call has also seen the call and its relay.
  const seen = Math.max(readSeenSeq(body), ...results.map(({ entry }) => entry.relay.seq ?? 0));
  const given = [...answers, ...results.map(({ entry, message }) => ({ entry, seq: seen, answer: toResult(message) }))];
  // Send before the answers, because the run may end with them.
  const last = body.messages.at(-1);
  const isNew = last?.role === 'user' && !(await readUsers(site, thread)).some(({ id }) => id === last.id);
  if (isNew) await conversations.send(thread.id, { ...toMessage([last]), ...describeSender(scope), agent });
  for (const { entry, answer } of given)
    if (entry.status === 'pending') await answerPending(site, thread, { relayId: entry.id, scope, ...answer });
  const after = Math.max(...given.map(({ seq }) => seq));
  const requests = await readRequests(site.options.log, thread);
  const isAsked = (runId: string) => given.some(({ entry }) => entry.runId === runId);
  const asking = requests.find(({ runId }) => isAsked(runId)) ?? requests.findLast(({ startSeq }) => startSeq <= after);
  if (asking === undefined) throw new SingletreeError('run_not_found', 'The run that asked is not in the thread.');
  return { runId: asking.runId, from: asking.startSeq - 1, after };
}

/** Returns the result of a call as the answer to its relay. */
function toResult({ content = '', error }: AgUiToolMessage): RelayBody {
  if (error != null && error !== '') return { outcome: 'reject', feedback: error };
  return { outcome: 'answer', input: content };
}

/** Sends the last user message, replaces a message that the client has removed, or retries the last one. */
async function sendLast(site: Site, { thread, agent, body, scope }: AgUiRequest): Promise<AgUiTurn> {
  const { conversations } = site;
  const theirs = body.messages.filter(message => message.role === 'user');
  const last = theirs.at(-1) as AgUiUserMessage;
  const at = { from: thread.seq, after: 0 };
  const asked = { agent, ...describeSender(scope), additions: readAdditions(body) };
  const ours = await readUsers(site, thread);
  const retry = (messageId: string) =>
    conversations.retry(thread.id, { messageId, agent, ...defined({ additions: asked.additions }) });
  const same = ours.find(({ id }) => id === last.id);
  if (same !== undefined) {
    const { content } = toMessage([last]);
    if (JSON.stringify(content) !== JSON.stringify(same.content))
      return { ...at, runId: (await conversations.edit(thread.id, same.nodeId, { content, ...asked })).runId };
    const open = same === ours.at(-1) ? await findOpenRun(site, thread) : undefined;
    return open ?? { ...at, runId: (await retry(same.nodeId)).runId };
  }
  const shared = theirs.findLastIndex(({ id }) => ours.some(own => own.id === id));
  const next = shared === -1 ? undefined : ours[ours.findIndex(({ id }) => id === theirs[shared]?.id) + 1];
  const message = { ...toMessage(theirs.slice(shared + 1)), ...asked };
  // A client that has not seen the next message did not remove it; another client sent it.
  if (next !== undefined && next.seq <= readSeenSeq(body))
    return { ...at, runId: (await conversations.edit(thread.id, next.nodeId, message)).runId };
  const { runId, queued } = await conversations.send(thread.id, { ...message, delivery: 'follow_up' });
  return { ...at, runId: queued === true ? findLaterRun(site, thread, message.id) : runId };
}

/** Returns the user messages of the active branch with the ids that clients use. */
async function readUsers(site: Site, thread: Thread) {
  return (await readChat(site, thread)).flatMap(({ id: nodeId, role, partList }) => {
    const [part] = role === 'user' ? partList : [];
    if (part?.kind !== 'user') return [];
    const { messageId: id = nodeId, content, seq = 0 } = part;
    return [{ nodeId, id, content, seq }];
  });
}

/** Returns the seq of the newest event that a client has seen, from the state of its last run. */
function readSeenSeq({ state }: AgUiRunBody): number {
  return z.looseObject({ seq: z.number() }).safeParse(state).data?.seq ?? 0;
}

type UserPart = Exclude<AgUiUserMessage['content'], string>[number];

/** Merges AG-UI messages into one message with the id of the last; throws `invalid_argument` when they are empty. */
export function toMessage(messages: readonly AgUiUserMessage[]): { id: string; content: string | ContentPart[] } {
  const parts = messages.flatMap(({ content }): ContentPart[] =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(toContentPart),
  );
  const content = parts.filter(part => part.type !== 'text' || part.text !== '');
  const [first] = content;
  if (first === undefined)
    throw new SingletreeError('invalid_argument', 'The last message says nothing. Expected a text or a file.');
  const id = messageBody.shape.id.safeParse(messages.at(-1)?.id).data ?? newId();
  return { id, content: content.length === 1 && first.type === 'text' ? first.text : content };
}

function toContentPart(part: UserPart): ContentPart {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { data, mediaType, filename } = part.type === 'binary' ? readBinary(part) : readSource(part);
  if (mediaType.startsWith('image/')) return { type: 'image', data, mediaType };
  return { type: 'file', data, mediaType, ...defined({ filename }) };
}

interface Bytes {
  /** In base64, or a URL. */
  readonly data: string;
  readonly mediaType: string;
  readonly filename?: string | undefined;
}

const anyType = { image: 'image/*', audio: 'audio/*', video: 'video/*', document: 'application/octet-stream' };

function readSource({ type, source: { value: data, mimeType } }: Extract<UserPart, { source: unknown }>): Bytes {
  return { data, mediaType: mimeType ?? anyType[type] };
}

function readBinary({ data, url, mimeType: mediaType, filename }: Extract<UserPart, { type: 'binary' }>): Bytes {
  const given = data ?? url;
  if (given !== undefined) return { data: given, mediaType, filename };
  throw new SingletreeError('invalid_argument', 'A binary part has neither "data" nor "url". Send one of them.');
}
