import type { Context } from 'hono';
import * as z from 'zod';
import { SingletreeError } from '../../events/index.ts';
import type { Thread } from '../../log/index.ts';
import {
  activityEncoder,
  type AiSdkVersion,
  type Framing,
  type ProtocolName,
  protocols,
} from '../../protocols/index.ts';
import { type Route, route } from '../route.ts';
import type { Site } from '../site.ts';
import { encodedFrames, type EncodedOptions } from '../streams/encoded-frames.ts';
import { frameStream } from '../streams/frame-stream.ts';
import { liveStream } from '../streams/live-stream.ts';
import { type Position, position } from '../streams/position.ts';
import { pickRequest, readRequests } from '../streams/requests.ts';

const eventsQuery = z.strictObject({
  after: position.optional().describe('the id of the last frame the reader has'),
  protocol: z
    .enum(['events', 'flow', 'ai-sdk', 'activity'])
    .optional()
    .describe('`events` when absent: the log as it is. `flow` and `ai-sdk` send one request, `activity` the thread'),
  version: z.enum(['5', '6', '7']).optional().describe('of the AI SDK; 7 when absent'),
  runId: z.string().min(1).optional().describe('the request to send; the newest when absent'),
});
type EventsQuery = z.infer<typeof eventsQuery>;

/** The streams of a thread. */
export function streamRoutes(site: Site): Route[] {
  return [
    route({
      method: 'get',
      path: '/api/threads/{threadId}/events',
      tag: 'Streams',
      summary: 'Follow a thread: what is there, then what comes',
      query: eventsQuery,
      headers: { 'Last-Event-ID': 'the id of the last frame the reader has; it counts more than `after`' },
      answer: { contentType: 'text/event-stream', description: 'Server-sent events whose ids say where a reader is' },
      others: { 204: 'The request that is read has ended, and the reader has all of it' },
      handle: async ({ context, param, query, scope }) => {
        const thread = await site.find(scope, param('threadId'));
        const after = startOf(context, query.after, thread);
        const { protocol = 'events' } = query;
        if (protocol === 'events') return openLive(site, thread, after.seq);
        return protocol === 'activity' ? openActivity(site, thread, after) : openRequest(site, thread, after, query);
      },
    }),
  ];
}

function openLive(site: Site, thread: Thread, after: number): Response {
  const { log, bufferBytes = 1024 * 1024 } = site.options;
  const { feeds, redactor, keepAlive, signal, encode, countEvents: onSent } = site;
  const options = { log, feeds, redactor, keepAlive, signal, encode, onSent, bufferBytes };
  return streamResponse(liveStream(options, { threadId: thread.id, after }));
}

function openActivity(site: Site, thread: Thread, after: Position): Response {
  return openEncoded(site, { threadId: thread.id, encoder: activityEncoder(), from: 0, after, last: '' });
}

async function openRequest(
  site: Site,
  thread: Thread,
  after: Position,
  { protocol, version = '7', runId }: EventsQuery,
): Promise<Response> {
  const { id: threadId, resourceId } = thread;
  const request = pickRequest(await readRequests(site.options.log, threadId), { runId, after: after.seq });
  if (request?.endSeq !== undefined && after.seq >= request.endSeq) return new Response(null, { status: 204 });
  const name: ProtocolName = protocol === 'flow' ? 'flow' : `ai-sdk-${Number(version) as AiSdkVersion}`;
  const { framing, encoder } = protocols[name];
  const options = { threadId, resourceId, ...(request && { runId: request.runId }) };
  const from = request === undefined ? after.seq : request.startSeq - 1;
  const place = { threadId, from, after, ...(request && { runId: request.runId }) };
  return openEncoded(site, { ...place, encoder: encoder(options), last: framing.last, ends: true }, framing.headers);
}

type Encoded = Omit<EncodedOptions, 'log' | 'redactor' | 'onSent' | 'signal'>;

function openEncoded(site: Site, encoded: Encoded, headers: Framing['headers'] = {}): Response {
  const { redactor, keepAlive, signal, countEvents: onSent } = site;
  const { log } = site.options;
  const frames = (stop: AbortSignal) => encodedFrames({ ...encoded, log, redactor, onSent, signal: stop });
  return streamResponse(frameStream({ frames, redactor, keepAlive, signal }), headers);
}

/** A response that goes on for as long as somebody reads it. */
export function streamResponse(
  body: ReadableStream<Uint8Array>,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(body, {
    headers: {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    },
  });
}

/** Where to go on: a reader that reconnects says it in a header, which counts more than its first address. */
function startOf(context: Context, query: Position | undefined, thread: Thread): Position {
  const header = context.req.header('last-event-id') || undefined;
  const parsed = position.optional().safeParse(header);
  if (!parsed.success)
    throw new SingletreeError('invalid_argument', `Header "Last-Event-ID" is "${header}". Expected a whole number.`);
  const after = parsed.data ?? query ?? { seq: 0, chunks: 0 };
  if (after.seq <= thread.seq) return after;
  throw new SingletreeError(
    'invalid_argument',
    `The thread "${thread.id}" ends at seq ${thread.seq}; it cannot be read after ${after.seq}.`,
  );
}
