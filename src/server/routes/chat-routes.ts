import type { Context } from 'hono';
import { SingletreeError } from '../../events/index.ts';
import type { Thread } from '../../log/index.ts';
import { aiSdkVersions, chatBody, chatMessages, protocols, uiMessages, Waiting } from '../../protocols/index.ts';
import { type ChatTurn, openTurn, readChat, takeChat } from '../chat.ts';
import { findClientThread, openClientThread } from '../client-threads.ts';
import { type Route, route } from '../route.ts';
import type { Site } from '../site.ts';
import { requestStream } from '../streams/request-stream.ts';
import { streamResponse } from './stream-routes.ts';

const tag = 'AI SDK';
/** The protocol of these endpoints: clients of the AI SDK expect no other one here. */
const { encoder, framing, versions } = protocols['ai-sdk'];
const newest = versions.at(-1) ?? '';
const standings = { yes: 'waiting', maybe: 'uncertain', no: 'working' } as const;
const headers = { 'x-ai-sdk-version': `the version of the client: ${versions.join(', ')}; ${newest} when absent` };
const answer = { contentType: 'text/event-stream', description: 'The AI SDK UI message stream' };

/** What `useChat` with the `DefaultChatTransport` calls. A chat is a thread, its id the thread's. */
export function chatRoutes(site: Site): Route[] {
  return [
    route({
      method: 'post',
      path: '/api/chat',
      right: 'send',
      tag,
      summary: 'Send what is new in a chat, and stream the answer',
      headers,
      body: chatBody,
      bodyBytes: 16 * 1024 * 1024,
      answer,
      handle: async ({ context, body, scope }) => {
        const version = versionOf(context);
        const thread = await openClientThread(site, scope, body.id);
        return streamTurn(site, thread, await takeChat(site, thread, body, scope), version);
      },
    }),
    route({
      method: 'get',
      path: '/api/chat/{threadId}/messages',
      right: 'read',
      tag,
      summary: 'Read a chat as UI messages, without an answer that is under way',
      headers,
      answer: chatMessages,
      handle: async ({ context, param, scope }) => {
        const given = versionOf(context);
        const version = aiSdkVersions.find(each => String(each) === given);
        const thread = await findClientThread(site, scope, param('threadId'));
        return thread === undefined ? [] : uiMessages(await readChat(site, thread), { version, threadId: thread.id });
      },
    }),
    route({
      method: 'get',
      path: '/api/chat/{threadId}/stream',
      right: 'read',
      tag,
      summary: 'Stream the answer that is under way, from its start',
      headers,
      answer,
      others: { 204: 'Nothing is under way' },
      handle: async ({ context, param, scope }) => {
        const version = versionOf(context);
        const thread = await findClientThread(site, scope, param('threadId'));
        const turn = thread && (await openTurn(site, thread));
        return thread && turn ? streamTurn(site, thread, turn, version) : new Response(null, { status: 204 });
      },
    }),
  ];
}

function streamTurn(site: Site, { id }: Thread, { runId, after }: ChatTurn, version: string): Response {
  const stream = requestStream(site, {
    threadId: id,
    runId,
    framing,
    cutOff: { type: 'error', errorText: 'The server closes. Resume when it is back: the run continues.' },
    open: run => {
      const waiting = new Waiting();
      return {
        encoder: encoder({ version, threadId: id, runId: run }),
        from: 0,
        after,
        standing: (event, chunks) => {
          waiting.take(event, chunks);
          return standings[waiting.state];
        },
        part: ({ seq }) => [{ type: 'message-metadata', messageMetadata: { seq } }],
      };
    },
  });
  return streamResponse(stream, framing);
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
