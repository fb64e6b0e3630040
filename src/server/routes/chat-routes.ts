import { defined } from '../../events/defined.ts';
import { setTimeout } from 'node:timers/promises';
import type { Context } from 'hono';
import { SingletreeError } from '../../events/index.ts';
import type { Thread } from '../../log/index.ts';
import { aiSdkVersions, chatBody, chatMessages, protocols, uiMessages, Waiting } from '../../protocols/index.ts';
import { type ChatTurn, openTurn, readChat, takeChat } from '../chat.ts';
import { type Route, route } from '../route.ts';
import type { Scope } from '../security/access.ts';
import type { Site } from '../site.ts';
import { encodedFrames } from '../streams/encoded-frames.ts';
import { frameStream } from '../streams/frame-stream.ts';
import { streamResponse } from './stream-routes.ts';

const tag = 'AI SDK';
/** The protocol of these endpoints: clients of the AI SDK expect no other one here. */
const { encoder, framing, versions } = protocols['ai-sdk'];
const newest = versions.at(-1) ?? '';
/** How long a request that may be waiting for a person is silent before it counts as waiting. */
const quietMs = 250;
const headers = { 'x-ai-sdk-version': `the version of the client: ${versions.join(', ')}; ${newest} when absent` };
const answer = { contentType: 'text/event-stream', description: 'The AI SDK UI message stream' };

/** What `useChat` with the `DefaultChatTransport` calls. A chat is a thread, its id the thread's. */
export function chatRoutes(site: Site): Route[] {
  return [
    route({
      method: 'post',
      path: '/api/chat',
      tag,
      summary: 'Send what is new in a chat, and stream the answer',
      headers,
      body: chatBody,
      bodyBytes: 16 * 1024 * 1024,
      answer,
      handle: async ({ context, body, scope }) => {
        const version = versionOf(context);
        const thread = await threadFor(site, scope, body.id);
        return streamTurn(site, thread, await takeChat(site, thread, body, scope), version);
      },
    }),
    route({
      method: 'get',
      path: '/api/chat/{threadId}/messages',
      tag,
      summary: 'Read a chat as UI messages, without an answer that is under way',
      headers,
      answer: chatMessages,
      handle: async ({ context, param, scope }) => {
        const given = versionOf(context);
        const version = aiSdkVersions.find(each => String(each) === given);
        const thread = await findChat(site, scope, param('threadId'));
        return thread === undefined ? [] : uiMessages(await readChat(site, thread), { version, threadId: thread.id });
      },
    }),
    route({
      method: 'get',
      path: '/api/chat/{threadId}/stream',
      tag,
      summary: 'Stream the answer that is under way, from its start',
      headers,
      answer,
      others: { 204: 'Nothing is under way' },
      handle: async ({ context, param, scope }) => {
        const version = versionOf(context);
        const thread = await findChat(site, scope, param('threadId'));
        const turn = thread && (await openTurn(site, thread));
        return thread && turn ? streamTurn(site, thread, turn, version) : new Response(null, { status: 204 });
      },
    }),
  ];
}

/** Returns the thread of a chat; an unknown one, or one of another reader, is a chat without messages. */
async function findChat(site: Site, scope: Scope, id: string): Promise<Thread | undefined> {
  try {
    return await site.find(scope, id);
  } catch (error) {
    if (SingletreeError.is(error, 'thread_not_found')) return undefined;
    throw error;
  }
}

/** Returns the thread of a chat, creating it when needed: clients choose the ids of their chats. */
async function threadFor(site: Site, scope: Scope, id: string): Promise<Thread> {
  const { log } = site.options;
  if ((await log.getThread(id)) !== undefined) return site.findToSend(scope, id);
  return log.createThread({ id, ...defined({ resourceId: scope.resourceId }) });
}

function streamTurn(site: Site, { id }: Thread, { runId, after }: ChatTurn, version: string): Response {
  const { redactor, keepAlive, signal, countEvents: onSent } = site;
  const { log } = site.options;
  const frames = async function* (stop: AbortSignal) {
    const waiting = new Waiting();
    const run = await Promise.race([runId, once(stop)]);
    if (run === undefined) return;
    yield* encodedFrames({
      log,
      threadId: id,
      encoder: encoder({ version, threadId: id, runId: run }),
      framing,
      from: 0,
      after: { seq: after, chunks: 0 },
      ends: true,
      runId: run,
      redactor,
      signal: stop,
      cutOff: { type: 'error', errorText: 'The server closes. Resume when it is back: the run continues.' },
      onSent,
      pause: async (event, chunks) => {
        waiting.take(event, chunks);
        if (waiting.state === 'no') return undefined;
        if (waiting.state === 'maybe') await setTimeout(quietMs, undefined, { ref: false });
        if ((await log.getThread(id))?.seq !== event.seq) return undefined;
        return { type: 'message-metadata', messageMetadata: { seq: event.seq } };
      },
    });
  };
  return streamResponse(frameStream({ frames, framing, redactor, keepAlive, signal }), framing);
}

/** Resolves when the signal aborts. */
function once(signal: AbortSignal): Promise<undefined> {
  return new Promise(resolve => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

/** The major version of the client. */
function versionOf(context: Context): string {
  const given = context.req.header('x-ai-sdk-version') ?? newest;
  const [version = ''] = given.split('.');
  if (versions.includes(version)) return version;
  const expected = versions.join(', ');
  throw new SingletreeError(
    'invalid_argument',
    `Header "x-ai-sdk-version" is "${given}". Expected one of ${expected}.`,
  );
}
