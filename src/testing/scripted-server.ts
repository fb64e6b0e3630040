import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';
import { parseJson } from '../base/parse-json.ts';
import { optionsCheck } from '../base/options/check-options.ts';
import { callback, field, number, text } from '../base/options/option-fields.ts';
import { type Delay, timerDelay } from '../agents/model/scripted/scripted-model.ts';
import type { ScriptedRequest } from '../agents/model/scripted/scripted-request.ts';
import { type ReplyOutcome, sendReply } from './scripted-reply.ts';
import { type ArrivedRequest, type RouteOptions, scriptedRoutes } from './scripted-routes.ts';
import type { Mutable } from '../base/mutable.ts';

export interface ScriptedServerOptions extends RouteOptions {
  /** Default: a free one. */
  port?: number;
  /** Waits before a fragment; called only for turns with a delay. Default: a timer. */
  delay?: Delay;
}

const checkOptions = optionsCheck<ScriptedServerOptions>('startScriptedServer')(() => ({
  script: field(
    value => Array.isArray(value) || typeof value === 'function',
    'an array of turns, or a function that returns one',
  ),
  maxRequests: number().optional(),
  apiKey: text().optional(),
  models: z.array(z.string()).optional(),
  now: callback().optional(),
  port: number().optional(),
  delay: callback().optional(),
}));

/** A request as it arrived, with its outcome. */
export interface RecordedRequest extends ArrivedRequest {
  readonly query: string;
  /** The request as the script saw it; absent if the script was not called. */
  readonly seen?: ScriptedRequest;
  readonly status: number;
  readonly outcome: ReplyOutcome | 'pending';
}

export interface ScriptedServer {
  /** `http://127.0.0.1:port`; the APIs are at `/v1`, and also without it. */
  readonly url: string;
  /** Every request so far, in the order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Stops the server and drops its connections; may be called again. */
  close(): Promise<void>;
}

/**
 * Starts a model server on loopback that answers by its script over OpenAI Responses (`/v1/responses`), OpenAI Chat
 * Completions (`/v1/chat/completions`), Anthropic Messages (`/v1/messages`) and Google Gemini
 * (`/v1beta/models/{model}:generateContent`), streamed or not.
 */
export async function startScriptedServer(options: ScriptedServerOptions): Promise<ScriptedServer> {
  checkOptions(options);
  const requests: RecordedRequest[] = [];
  const reply = scriptedRoutes(options);
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const record = await readRecord(request);
    requests.push(record);
    const { seen, ...answer } = reply(record);
    record.status = answer.status;
    if (seen) record.seen = seen;
    record.outcome = await sendReply(response, answer, options.delay ?? timerDelay);
  }

  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  let closed: Promise<void> | undefined;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close() {
      closed ??= new Promise(resolve => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

type OpenRecord = Mutable<RecordedRequest>;

async function readRecord(request: IncomingMessage): Promise<OpenRecord> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const [path = '/', query = ''] = (request.url ?? '/').split('?', 2);
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const);
  return {
    method: request.method ?? 'GET',
    path,
    query,
    headers: Object.fromEntries(headers),
    body: parseJson(text, text),
    status: 0,
    outcome: 'pending',
  };
}
