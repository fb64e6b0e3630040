import { defined } from '../../base/defined.ts';
import type { Context } from 'hono';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { Thread } from '../../log/event-log.ts';
import type { AiSdkOptions } from '../../protocols/ai-sdk/ai-sdk-encoder.ts';
import { aiSdkFraming as framing, aiSdkVersions } from '../../protocols/ai-sdk/chunk.ts';
import { chatBody, chatMessages } from '../../protocols/http-chat.ts';
import { type ChatTurn, openTurn, readChat, takeChat, findClientThread } from '../chat.ts';
import { type Route, route } from '../route.ts';
import type { Site } from '../site.ts';
import { requestStream } from '../streams/request-stream.ts';

const tag = 'AI SDK';
const versions = aiSdkVersions.map(String);
const newest = versions.at(-1) ?? '';
const standings = { yes: 'waiting', maybe: 'uncertain', no: 'working' } as const;
const headers = {
  'x-ai-sdk-version': `the version of the client: ${versions.join(', ')}; ${newest} when absent`,
  'x-ai-sdk-tools': 'the tools that the client declares, with commas: their calls are `tool-<name>` parts',
};
const answer = { contentType: 'text/event-stream', description: 'The AI SDK UI message stream' };

/** Creates the routes for `useChat` with the `DefaultChatTransport`. The id of a chat is the id of its thread. */
export function chatRoutes(site: Site): Route[] {
  return [
    route(tag, 'POST /api/chat', {
      right: 'send',
      summary: 'Send what is new in a chat, and stream the answer',
      headers,
      body: chatBody,
      bodyBytes: 16 * 1024 * 1024,
      answer,
      handle: async ({ context, body, scope }) => {
        const client = readClient(context);
        const thread = await site.findOrCreate(scope, defined({ id: body.id, resourceId: scope.resourceId }));
        return streamTurn(site, thread, await takeChat(site, thread, body, scope), client);
      },
    }),
    route(tag, 'GET /api/chat/{threadId}/messages', {
      right: 'read',
      summary: 'Read a chat as UI messages, without an answer that is under way',
      headers,
      answer: chatMessages,
      handle: async ({ context, param, scope }) => {
        const client = readClient(context);
        const thread = await findClientThread(site, scope, param('threadId'));
        if (thread === undefined) return [];
        const { uiMessages } = await import('../../protocols/ai-sdk/ui-messages.ts');
        return uiMessages(await readChat(site, thread), { ...client, threadId: thread.id });
      },
    }),
    route(tag, 'GET /api/chat/{threadId}/stream', {
      right: 'read',
      summary: 'Stream the answer that is under way, from its start',
      headers,
      answer,
      others: { 204: 'Nothing is under way' },
      handle: async ({ context, param, scope }) => {
        const client = readClient(context);
        const thread = await findClientThread(site, scope, param('threadId'));
        const turn = thread && (await openTurn(site, thread));
        return thread && turn ? streamTurn(site, thread, turn, client) : new Response(null, { status: 204 });
      },
    }),
  ];
}

function streamTurn(site: Site, { id }: Thread, { runId, after }: ChatTurn, client: ChatClient): Response {
  return requestStream(site, {
    threadId: id,
    runId,
    framing,
    cutOff: { type: 'error', errorText: 'The server closes. Resume when it is back: the run continues.' },
    open: async run => {
      const [{ aiSdkEncoder }, { Waiting }] = await Promise.all([
        import('../../protocols/ai-sdk/ai-sdk-encoder.ts'),
        import('../../protocols/ai-sdk/waiting.ts'),
      ]);
      const waiting = new Waiting();
      return {
        encoder: aiSdkEncoder({ ...client, threadId: id, runId: run }),
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
}

/** The client information sent in request headers. */
type ChatClient = Required<Pick<AiSdkOptions, 'version' | 'clientTools'>>;

/** Returns the major version of the client and the tools it declares. */
function readClient(context: Context): ChatClient {
  const given = context.req.header('x-ai-sdk-version') ?? newest;
  const version = aiSdkVersions.find(each => String(each) === given.split('.')[0]);
  const clientTools =
    context.req
      .header('x-ai-sdk-tools')
      ?.split(',')
      .flatMap(name => name.trim() || []) ?? [];
  if (version !== undefined) return { version, clientTools };
  const expected = versions.join(', ');
  throw new SingletreeError(
    'invalid_argument',
    `Header "x-ai-sdk-version" is "${given}". Expected one of ${expected}.`,
  );
}
