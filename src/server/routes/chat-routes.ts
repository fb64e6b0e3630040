import { setTimeout } from 'node:timers/promises';
import type { Context } from 'hono';
import { SingletreeError } from '../../events/index.ts';
import type { Thread } from '../../log/index.ts';
import { aiSdkEncoder, aiSdkFraming, type AiSdkVersion, chatBody, encodeSse } from '../../protocols/index.ts';
import { type ChatTurn, openTurn, takeChat } from '../chat.ts';
import { problemOf } from '../problem-response.ts';
import { type Route, route } from '../route.ts';
import type { Scope } from '../security/access.ts';
import type { Site } from '../site.ts';
import { encodedFrames } from '../streams/encoded-frames.ts';
import { frameStream } from '../streams/frame-stream.ts';
import { Waiting } from '../streams/waiting.ts';
import { streamResponse } from './stream-routes.ts';

const tag = 'AI SDK';
/** How long nothing happens before a request that may be waiting for a person is taken to wait. */
const quietMs = 250;
const headers = { 'x-ai-sdk-version': 'the version of the client: 5, 6 or 7; 7 when absent' };
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
        return streamTurn(site, thread, await takeChat(site, thread, body), version);
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
        // A chat that is not there, or not for this reader, has nothing under way.
        const thread = await site.find(scope, param('threadId')).catch(() => undefined);
        const turn = thread && (await openTurn(site, thread));
        return thread && turn ? streamTurn(site, thread, turn, version) : new Response(null, { status: 204 });
      },
    }),
  ];
}

/** The thread of a chat; clients choose the ids of their chats, so it is made when it is not there. */
async function threadFor(site: Site, scope: Scope, id: string): Promise<Thread> {
  const { log } = site.options;
  if ((await log.getThread(id)) !== undefined) return site.find(scope, id);
  return log.createThread({ id, ...(scope.resourceId !== undefined && { resourceId: scope.resourceId }) });
}

function streamTurn(site: Site, { id }: Thread, { runId, after }: ChatTurn, version: AiSdkVersion): Response {
  const { redactor, keepAlive, signal, countEvents: onSent } = site;
  const { log } = site.options;
  const turn = async function* (stop: AbortSignal) {
    const waiting = new Waiting();
    const run = await Promise.race([runId, once(stop)]);
    if (run === undefined) return;
    yield* encodedFrames({
      log,
      threadId: id,
      encoder: aiSdkEncoder({ version, threadId: id, runId: run }),
      from: 0,
      after: { seq: after, chunks: 0 },
      ends: true,
      runId: run,
      redactor,
      last: aiSdkFraming.last,
      signal: stop,
      cutOff: { type: 'error', errorText: 'The server ends. Resume when it is back: the run goes on.' },
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
  // A client of the AI SDK takes no other frames than its own, also when the stream fails.
  const frames = async function* (stop: AbortSignal) {
    try {
      yield* turn(stop);
    } catch (error) {
      const failure = { type: 'error', errorText: problemOf(error).detail };
      yield encodeSse({ data: redactor.json(JSON.stringify(failure)) }) + aiSdkFraming.last;
    }
  };
  return streamResponse(frameStream({ frames, redactor, keepAlive, signal }), aiSdkFraming.headers);
}

/** Resolves when the signal aborts. */
function once(signal: AbortSignal): Promise<undefined> {
  return new Promise(resolve => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

function versionOf(context: Context): AiSdkVersion {
  const said = context.req.header('x-ai-sdk-version') ?? '7';
  const version = Number(/^[567](?=\.|$)/.exec(said)?.[0]);
  if (version === 5 || version === 6 || version === 7) return version;
  throw new SingletreeError('invalid_argument', `Header "x-ai-sdk-version" is "${said}". Expected 5, 6 or 7.`);
}
