import * as z from 'zod';
import { SingletreeError } from '../events/index.ts';
import type { Thread } from '../log/index.ts';
import { agUiMessages } from '../protocols/ag-ui/ag-ui-messages.ts';
import type { AgUiRunBody, AgUiUserMessage } from '../protocols/index.ts';
import { parseInterruptId, toRelayAnswer } from '../protocols/ag-ui/interrupt.ts';
import { readRequests } from '../runtime/requests.ts';
import { toMessage } from './ag-ui-content.ts';
import { isLate, openTurn, readChat } from './chat.ts';
import { authorOf, describeSender, type Scope } from './security/caller.ts';
import type { Site } from './site.ts';

/** The request that answers a client of AG-UI, and what of it the client has. */
export interface AgUiTurn {
  /** Known when the run starts: it may have to wait for another one. */
  readonly runId: string | Promise<string>;
  /** The seq before its first event. */
  readonly from: number;
  /** The seq up to which the client has it. */
  readonly after: number;
}

/** A request of a client that was let in, and the thread and agent it names. */
export interface AgUiRequest {
  readonly thread: Thread;
  readonly agent: string;
  readonly body: AgUiRunBody;
  readonly scope: Scope;
}

/** Throws for what no agent can do: `not_supported` for tools of the client, `invalid_argument` when nothing is new. */
export function checkRun({ messages, resume = [], tools = [], context = [] }: AgUiRunBody): void {
  const refused = tools.length > 0 ? 'tools' : context.length > 0 ? 'context' : undefined;
  if (refused !== undefined)
    throw new SingletreeError(
      'not_supported',
      `The request has "${refused}" of the client, which agents here cannot use. Remove them, and give the agent its tools and instructions on the server.`,
    );
  const last = messages.at(-1)?.role ?? 'nobody';
  if (resume.length === 0 && last !== 'user')
    throw new SingletreeError(
      'invalid_argument',
      `The last message is of "${last}". Expected a new message of the user, or "resume" with the answers to interrupts.`,
    );
}

/**
 * Does what a client asks for with a run: the log has the conversation, so only what is new counts. That is the answers
 * to interrupts, the last message of the person, which is sent or takes the place of another, or a message to try again.
 */
export function takeRun(site: Site, request: AgUiRequest): Promise<AgUiTurn> {
  return request.body.resume?.length ? resumeRun(site, request) : sendLast(site, request);
}

/**
 * Returns the snapshots that give a client the messages of a thread, without those of a run that is streamed. A client
 * keeps the order of the messages that it has: those after the first that it lacks are removed before.
 */
export async function readSnapshots(site: Site, thread: Thread, { messages }: AgUiRunBody, runId?: string) {
  const nodes = await readChat(site, thread);
  const history = agUiMessages(nodes.filter(node => runId === undefined || node.runId !== runId));
  const has = new Set(messages.map(({ id }) => id));
  const missing = history.findIndex(({ id, role }) => role !== 'activity' && role !== 'reasoning' && !has.has(id));
  const isOrdered = missing === -1 || !history.slice(missing).some(({ id }) => has.has(id));
  return { isComplete: missing === -1, snapshots: isOrdered ? [history] : [history.slice(0, missing), history] };
}

/** Returns the request of a thread that somebody works on, to be streamed from its start. */
export async function findOpenRun(site: Site, thread: Thread): Promise<AgUiTurn | undefined> {
  const turn = await openTurn(site, thread);
  if (turn === undefined) return undefined;
  const request = (await readRequests(site.options.log, thread)).find(({ runId }) => runId === turn.runId);
  return { runId: turn.runId, from: (request?.startSeq ?? 1) - 1, after: 0 };
}

/** Gives the answers to those relays that wait; what was answered elsewhere stands, and the run continues from the log. */
async function resumeRun(site: Site, { thread, agent, body, scope }: AgUiRequest): Promise<AgUiTurn> {
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
  for (const { entry, answer } of answers)
    try {
      if (entry.status === 'pending')
        await conversations.answer(thread.id, entry.id, { ...answer, ...authorOf(scope) });
    } catch (error) {
      if (!isLate(error)) throw error;
    }
  const after = Math.max(...answers.map(({ seq }) => seq));
  const requests = await readRequests(site.options.log, thread);
  const isAsked = (runId: string) => answers.some(({ entry }) => entry.runId === runId);
  const asking = requests.find(({ runId }) => isAsked(runId)) ?? requests.findLast(({ startSeq }) => startSeq <= after);
  if (asking === undefined) throw new SingletreeError('run_not_found', 'The run that asked is not in the thread.');
  const last = body.messages.at(-1);
  const isNew = last?.role === 'user' && !(await readUsers(site, thread)).some(({ id }) => id === last.id);
  if (isNew) await conversations.send(thread.id, { ...toMessage([last]), ...describeSender(scope), agent });
  return { runId: asking.runId, from: asking.startSeq - 1, after };
}

/** Sends the last message of the person, puts it in the place of one that the client has removed, or tries it again. */
async function sendLast(site: Site, { thread, agent, body, scope }: AgUiRequest): Promise<AgUiTurn> {
  const { conversations } = site;
  const theirs = body.messages.filter(message => message.role === 'user');
  const last = theirs.at(-1) as AgUiUserMessage;
  const at = { from: thread.seq, after: 0 };
  const asked = { agent, ...describeSender(scope) };
  const ours = await readUsers(site, thread);
  const same = ours.find(({ id }) => id === last.id);
  if (same !== undefined) {
    const { content } = toMessage([last]);
    if (JSON.stringify(content) !== JSON.stringify(same.content))
      return { ...at, runId: (await conversations.edit(thread.id, same.nodeId, { content, ...asked })).runId };
    const open = same === ours.at(-1) ? await findOpenRun(site, thread) : undefined;
    return open ?? { ...at, runId: (await conversations.retry(thread.id, { messageId: same.nodeId, agent })).runId };
  }
  const shared = theirs.findLastIndex(({ id }) => ours.some(own => own.id === id));
  const next = shared === -1 ? undefined : ours[ours.findIndex(({ id }) => id === theirs[shared]?.id) + 1];
  const message = { ...toMessage(theirs.slice(shared + 1)), ...asked };
  // A client that has not seen the next message did not remove it: another one sent it.
  if (next !== undefined && next.seq <= readSeenSeq(body))
    return { ...at, runId: (await conversations.edit(thread.id, next.nodeId, message)).runId };
  const { runId, queued } = await conversations.send(thread.id, { ...message, delivery: 'follow_up' });
  if (queued !== true) return { ...at, runId };
  const started = conversations.runOf(thread.id, message.id, site.signal);
  // A client that went away hears nothing of it.
  started.catch(() => {});
  return { ...at, runId: started };
}

/** The messages of people on the active branch, with the ids that clients know them by. */
async function readUsers(site: Site, thread: Thread) {
  return (await readChat(site, thread)).flatMap(({ id: nodeId, role, partList }) => {
    const [part] = role === 'user' ? partList : [];
    if (part?.kind !== 'user') return [];
    const { messageId: id = nodeId, content, seq = 0 } = part;
    return [{ nodeId, id, content, seq }];
  });
}

/** The newest event that a client has seen: the state of its last run holds it. */
function readSeenSeq({ state }: AgUiRunBody): number {
  return z.looseObject({ seq: z.number() }).safeParse(state).data?.seq ?? 0;
}
