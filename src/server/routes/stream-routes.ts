import { defined } from '../../base/defined.ts';
import type { Context } from 'hono';
import * as z from 'zod';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { Thread } from '../../log/event-log.ts';
import type { Protocol } from '../../protocols/protocol.ts';
import type { ProtocolRegistry } from '../../protocols/registry.ts';
import { type OtherContent, type Route, threadRoute } from '../route.ts';
import type { Site } from '../site.ts';
import type { OpenStream } from '../streams/byte-sink.ts';
import { encodedFrames, type Position, position } from '../streams/encoded-frames.ts';
import { ThreadRawLines } from '../streams/thread-raw-lines.ts';
import { frameResponse, streamResponse } from '../streams/frame-stream.ts';
import { liveStream } from '../streams/live-stream.ts';
import { pickRequest, readRequests } from '../../runtime/requests.ts';

/** Creates the event stream routes of a thread, for every protocol of the registry. */
export function streamRoutes(site: Site): Route[] {
  const { protocols } = site;
  const [first = ''] = protocols.keys();
  return [
    threadRoute('Streams', 'GET /api/threads/{threadId}/events', {
      right: 'read',
      summary: 'Follow a thread: its events so far, then new ones',
      query: eventsQuery(protocols),
      headers: { 'Last-Event-ID': 'the id of the last frame the reader has; takes precedence over `after`' },
      answer: listContent(protocols),
      others: { 204: 'The request has ended, and the reader has all of it' },
      handle: async ({ thread, context, query }) => {
        const after = readStart(context, query.after, thread);
        const name = query.protocol ?? first;
        const protocol = protocols.get(name) as Protocol;
        const reading: Reading = { site, thread, protocol, after, version: findVersion(name, protocol, query.version) };
        if (protocol.isVerbatim) {
          context.set('stream', openShared(reading));
          return streamResponse(null, protocol.framing);
        }
        return protocol.covers === 'thread' ? openThread(reading) : openRequest(reading, query.runId);
      },
    }),
  ];
}

/** The request of one reader. */
interface Reading {
  readonly site: Site;
  readonly thread: Thread;
  readonly protocol: Protocol;
  readonly after: Position;
  readonly version: string | undefined;
}

function eventsQuery(protocols: ProtocolRegistry) {
  const names = [...protocols.keys()];
  const each = [...protocols].map(([name, { description }]) => `\`${name}\`: ${description}`).join('; ');
  const versions = [...protocols].flatMap(([name, { versions: known = [] }]) =>
    known.length === 0 ? [] : [`\`${name}\` has ${known.join(', ')}`],
  );
  return z.strictObject({
    after: position.optional().describe('the id of the last frame the reader has'),
    protocol: z.enum(names).optional().describe(`\`${names[0]}\` when absent. ${each}`),
    version: z
      .string()
      .max(20)
      .optional()
      .describe(`of the protocol, the newest when absent: ${versions.join('; ')}`),
    runId: z.string().min(1).optional().describe('the request to send; the newest when absent'),
  });
}

/** The content types of all protocols, each once. */
function listContent(protocols: ProtocolRegistry): OtherContent[] {
  const types = [...protocols.values()].map(({ framing }) => (framing.headers['content-type'] ?? '').split(';')[0]);
  return [...new Set(types)].map((contentType = '') => ({ contentType, description: 'The chunks of the protocol' }));
}

/** The version to serve; throws `invalid_argument` for one that the protocol does not have. */
function findVersion(name: string, { versions = [] }: Protocol, asked: string | undefined): string | undefined {
  if (asked === undefined || versions.includes(asked)) return asked ?? versions.at(-1);
  const known = versions.length === 0 ? 'It has no versions' : `Expected one of ${versions.join(', ')}`;
  throw new SingletreeError('invalid_argument', `The protocol "${name}" has no version "${asked}". ${known}.`);
}

function openShared({ site, thread, protocol: { framing }, after }: Reading): OpenStream {
  const { bufferBytes = 1024 * 1024 } = site.options;
  const { keepAlive, signal, countEvents: onSent } = site;
  const feeds = site.feedsIn(framing);
  const options = { ...feeds.options, feeds, framing, keepAlive, signal, onSent, bufferBytes };
  return liveStream(options, { threadId: thread.id, after: after.seq });
}

function openThread(reading: Reading): Promise<Response> {
  return openEncoded(reading, { from: 0, ends: false });
}

async function openRequest(reading: Reading, named: string | undefined): Promise<Response> {
  const { site, thread, after } = reading;
  const request = pickRequest(await readRequests(site.options.log, thread), { runId: named, after: after.seq });
  if (request?.endSeq !== undefined && after.seq >= request.endSeq) return new Response(null, { status: 204 });
  if (request === undefined) return openEncoded(reading, { from: after.seq, ends: true });
  return openEncoded(reading, { from: request.startSeq - 1, ends: true, runId: request.runId });
}

interface Section {
  readonly from: number;
  readonly ends: boolean;
  readonly runId?: string;
}

async function openEncoded({ site, thread, protocol, after, version }: Reading, section: Section): Promise<Response> {
  const { redactor, countEvents: onSent } = site;
  const { log } = site.options;
  const { framing } = protocol;
  const { id: threadId, resourceId } = thread;
  const { runId } = section;
  const rawLines = protocol.usesRawLines === true ? { rawLines: new ThreadRawLines(log, threadId) } : {};
  const lineOf = rawLines.rawLines?.lineOf;
  const encoder = await protocol.encoder({ threadId, resourceId, version, lineOf, ...defined({ runId }) });
  const frames = (stop: AbortSignal) =>
    encodedFrames({ ...section, ...rawLines, log, threadId, encoder, framing, after, redactor, onSent, signal: stop });
  return frameResponse(site, framing, frames);
}

/** Returns the position to resume from; the header of a reconnecting reader takes precedence over the URL. */
function readStart(context: Context, query: Position | undefined, thread: Thread): Position {
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
