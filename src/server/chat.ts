import type { RelayAnswer } from '../agents/contract/host.ts';
import { defined } from '../base/defined.ts';
import { listOpenRuns } from '../control/supervision/open-runs.ts';
import { sharedThreadMemory } from '../control/threads/thread-memory.ts';
import { newId } from '../events/ids.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import { defaultActive } from '../graph/conversation/active.ts';
import { getMessage } from '../graph/conversation/queries.ts';
import type { Thread } from '../log/event-log.ts';
import { projectThread } from '../projections/reading/project-thread.ts';
import type { ViewNode } from '../projections/reading/view-node.ts';
import { type MessageBody, messageBody } from '../protocols/http-api.ts';
import type { ChatBody } from '../protocols/http-chat.ts';
import { getAuthor, checkRight, describeSender, type Scope } from './security/caller.ts';
import type { Site } from './site.ts';
import { pickRequest, readRequests } from '../runtime/requests.ts';
import type { ContentPart } from '../events/content.ts';

/** The run that a chat response streams, and the position up to which the client has it. */
export interface ChatTurn {
  /** Resolves when the run starts, which may wait for another run. */
  readonly runId: string | Promise<string>;
  readonly after: number;
}

/**
 * Handles the message list of an AI SDK client. The log has the conversation, so only new input is used: the last user
 * message, which is sent or replaces an earlier one, a message to retry, or the answers to approvals in the last
 * assistant message.
 */
export async function takeChat(site: Site, thread: Thread, body: ChatBody, scope: Scope): Promise<ChatTurn> {
  const last = body.messages.at(-1);
  if (body.trigger === 'regenerate-message') return { runId: await retry(site, thread, body, scope), after: 0 };
  if (last?.role === 'assistant') {
    checkRight(scope, 'approve');
    return answer(site, thread, last, scope);
  }
  if (last?.role !== 'user')
    throw new SingletreeError('invalid_argument', 'The last message is of the system. Expected a user message.');
  const edits = body.messageId === undefined ? undefined : await userMessageAt(site, thread, body);
  if ((await site.conversations.inbox.of(thread)).pending.length > 0)
    throw new SingletreeError('run_under_way', 'The run waits for an answer: approve or reject first, or stop it.');
  // An edited message has the id of the message that it replaces, so `edit` does not get this id.
  const given = messageBody.shape.id.safeParse(last.id).data ?? newId();
  const message = { ...choices(body), content: contentOf(last), ...describeSender(scope) };
  const { runId, queued } =
    edits === undefined
      ? await site.conversations.send(thread.id, { ...message, id: given, delivery: 'follow_up' })
      : await site.conversations.edit(thread.id, edits, message);
  return { runId: queued === true ? findLaterRun(site, thread, given) : runId, after: 0 };
}

/** Resolves with the run that a queued message starts or joins. */
export function findLaterRun(site: Site, { id }: Thread, messageId: string): Promise<string> {
  const started = site.conversations.findRun(id, messageId, site.signal);
  // Prevents an unhandled rejection after the reader disconnected.
  started.catch(() => {});
  return started;
}

/** Answers a pending relay; does nothing when it was answered elsewhere or closed. */
export async function answerPending(
  site: Site,
  { id }: Thread,
  { relayId, scope, ...answer }: RelayAnswer & { readonly scope: Scope },
): Promise<void> {
  try {
    await site.conversations.answer(id, relayId, { ...answer, ...getAuthor(scope) });
  } catch (error) {
    const isLate = (['relay_resolved', 'relay_expired', 'relay_not_found'] as const).some(code =>
      SingletreeError.is(error, code),
    );
    if (!isLate) throw error;
  }
}

/** Returns the visible messages of a thread's active branch, including compacted ones. */
export async function readChat(site: Site, { id }: Thread): Promise<readonly ViewNode[]> {
  const { conversation } = await sharedThreadMemory(site.options.log).of(id);
  return projectThread(conversation, { ...defaultActive(conversation), full: true });
}

/** Returns the open request of a thread, to be streamed from its start; undefined when none is open. */
export async function openTurn(site: Site, thread: Thread): Promise<ChatTurn | undefined> {
  const { log } = site.options;
  const newest = (await readRequests(log, thread)).at(-1);
  const current = await log.getThread(thread.id);
  const isOpen = current !== undefined && listOpenRuns(current).some(({ runId }) => runId === newest?.runId);
  return newest !== undefined && isOpen ? { runId: newest.runId, after: 0 } : undefined;
}

async function retry(site: Site, { id }: Thread, body: ChatBody, { trace }: Scope): Promise<string> {
  const { conversation } = await sharedThreadMemory(site.options.log).of(id);
  const known = body.messageId === undefined ? undefined : getMessage(conversation, body.messageId);
  const messageId = known?.id ?? defaultActive(conversation).messages.at(-1);
  if (messageId === undefined) throw new SingletreeError('invalid_argument', 'There is no message to try again.');
  return (await site.conversations.retry(id, { messageId, ...defined({ ...choices(body), trace }) })).runId;
}

/** Answers the pending relays; relays answered elsewhere keep their answers. */
async function answer(site: Site, thread: Thread, last: ChatBody['messages'][number], scope: Scope): Promise<ChatTurn> {
  const approvals = approvalsIn(last);
  const progress = progressIn(last);
  const request = pickRequest(await readRequests(site.options.log, thread), { runId: progress?.runId, after: 0 });
  if (approvals.length === 0 || request === undefined)
    throw new SingletreeError('invalid_argument', 'The last message is of the assistant and answers no approval.');
  for (const { relayId, approved, reason } of approvals)
    await answerPending(site, thread, {
      relayId,
      scope,
      outcome: approved ? 'approve' : 'reject',
      ...defined({ feedback: reason }),
    });
  return { runId: request.runId, after: progress?.seq ?? 0 };
}

/** Returns the message of the active branch at the position of the client's last user message, if any. */
async function userMessageAt(site: Site, { id }: Thread, { messages }: ChatBody): Promise<string | undefined> {
  const { conversation } = await sharedThreadMemory(site.options.log).of(id);
  const ours = defaultActive(conversation).messages.filter(each => getMessage(conversation, each)?.role === 'user');
  return ours[messages.filter(({ role }) => role === 'user').length - 1];
}

function choices({ agent, model }: ChatBody): Pick<MessageBody, 'agent' | 'model'> {
  return { ...defined({ agent }), ...defined({ model }) };
}

type ChatMessage = ChatBody['messages'][number];

/** Returns the content of an AI SDK user message; parts other than text and files are ignored. */
function contentOf({ parts }: ChatMessage): MessageBody['content'] {
  const content = parts.flatMap((part): ContentPart[] => {
    const { type, text, url, mediaType, filename } = part;
    if (type === 'text' && typeof text === 'string' && text !== '') return [{ type: 'text', text }];
    if (type !== 'file' || typeof url !== 'string' || typeof mediaType !== 'string') return [];
    const data = /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1] ?? url;
    if (mediaType.startsWith('image/')) return [{ type: 'image', data, mediaType }];
    return [{ type: 'file', data, mediaType, ...(typeof filename === 'string' && { filename }) }];
  });
  const [first] = content;
  if (first === undefined)
    throw new SingletreeError('invalid_argument', 'The last message says nothing. Expected a text or a file part.');
  return content.length === 1 && first.type === 'text' ? first.text : content;
}

/** A user's answer to an approval in a tool part. */
export interface ApprovalResponse {
  readonly relayId: string;
  readonly approved: boolean;
  readonly reason?: string;
}

/** Returns the answers to approvals in an assistant message. */
function approvalsIn({ parts }: ChatMessage): ApprovalResponse[] {
  return parts.flatMap(part => {
    const { approval } = part;
    if (typeof approval !== 'object' || approval === null) return [];
    const { id, approved, reason } = approval as { id?: unknown; approved?: unknown; reason?: unknown };
    if (typeof id !== 'string' || typeof approved !== 'boolean') return [];
    return [{ relayId: id, approved, ...(typeof reason === 'string' && { reason }) }];
  });
}

/** Returns the client's position in the log, which the server stored in the message when its response ended. */
function progressIn({ metadata }: ChatMessage): { runId: string; seq: number } | undefined {
  if (typeof metadata !== 'object' || metadata === null) return undefined;
  const { runId, seq } = metadata as { runId?: unknown; seq?: unknown };
  return typeof runId === 'string' && typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0
    ? { runId, seq }
    : undefined;
}

/** Returns a thread with a client-chosen id; an unknown or inaccessible thread has no messages yet. */
export async function findClientThread(site: Site, scope: Scope, id: string): Promise<Thread | undefined> {
  try {
    return await site.find(scope, id);
  } catch (error) {
    if (SingletreeError.is(error, 'thread_not_found')) return undefined;
    throw error;
  }
}
