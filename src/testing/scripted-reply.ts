import type { ServerResponse } from 'node:http';
import type { Delay } from '../agents/model/scripted/scripted-model.ts';
import { encodeFrame, type WireFrame } from './wire/wire.ts';

/** The response of the server: a JSON body or events, either of which can be cut off. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly content: { readonly json: unknown } | { readonly frames: readonly WireFrame[] };
  /** The wait before each token; before a JSON body it is waited once. */
  readonly delayMs?: number;
  readonly cut?: boolean;
}

/** How an exchange ended: `cancelled` when the client went away first. */
export type ReplyOutcome = 'answered' | 'cut' | 'cancelled';

/** Sends a reply and returns how that ended; never throws because the client is gone. */
export async function sendReply(response: ServerResponse, reply: Reply, delay: Delay): Promise<ReplyOutcome> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const wait = async () => void (await delay(reply.delayMs ?? 0, gone.signal).catch(() => undefined));
  const { content } = reply;
  const streamed = 'frames' in content;
  response.writeHead(reply.status, {
    ...(streamed
      ? { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }
      : { 'content-type': 'application/json' }),
    ...reply.headers,
  });
  if (!streamed) {
    if (reply.delayMs) await wait();
    return end(response, reply.cut ? '{' : JSON.stringify(content.json), reply);
  }
  let text = '';
  for (const frame of content.frames) {
    if (reply.delayMs && frame.token) {
      response.write(text);
      text = '';
      await wait();
      if (gone.signal.aborted) return 'cancelled';
    }
    text += encodeFrame(frame);
  }
  return end(response, text, reply);
}

async function end(response: ServerResponse, text: string, { cut }: Reply): Promise<ReplyOutcome> {
  if (response.destroyed) return 'cancelled';
  if (!cut) {
    response.end(text);
    return 'answered';
  }
  // Flush the text before the socket is destroyed, or the client would miss it.
  await new Promise<void>(resolve => response.write(text, () => resolve()));
  response.destroy();
  return 'cut';
}
