import * as z from 'zod';
import { type ModelScript, type ScriptedFailure, turnFor } from '../agents/model/scripted/script.ts';
import { type Answer, countFragments, resolveTurn } from '../agents/model/scripted/scripted-answer.ts';
import { failureHeaders, streamErrorMessage } from '../agents/model/scripted/scripted-failure.ts';
import { type ScriptedRequest, scriptedRequest } from '../agents/model/scripted/scripted-request.ts';
import { errorText } from '../base/error-text.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import type { Reply } from './scripted-reply.ts';
import { anthropicMessages } from './wire/anthropic-messages.ts';
import { googleGenerate, googlePath } from './wire/google-generate.ts';
import { openaiChat } from './wire/openai-chat.ts';
import { openaiResponses } from './wire/openai-responses.ts';
import type { Wire, WireContext, WireRequest } from './wire/wire.ts';

export interface RouteOptions {
  script: ModelScript;
  /** How many requests for an answer are served; further ones get HTTP 500. Default: 1000. */
  maxRequests?: number;
  /** The key every request must carry. Default: any or none. */
  apiKey?: string;
  /** The models that are listed. Default: `scripted`. */
  models?: readonly string[];
  /** Milliseconds since 1970. Default: the clock. */
  now?: () => number;
}

export interface ArrivedRequest {
  readonly method: string;
  /** The path without its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body; the raw text when it is not JSON. */
  readonly body: unknown;
}

/** A reply, with the request as the script saw it, if it was called. */
type RoutedReply = Reply & { readonly seen?: ScriptedRequest };

const wires: Readonly<Record<string, Wire>> = {
  '/responses': openaiResponses,
  '/chat/completions': openaiChat,
  '/messages': anthropicMessages,
};

/** The methods of Google Gemini that are answered by the script, and whether they stream. */
const googleMethods: Readonly<Record<string, boolean>> = { generateContent: false, streamGenerateContent: true };

/** Decides the reply to each request; its only state is its request counts. */
export function scriptedRoutes(options: RouteOptions): (request: ArrivedRequest) => RoutedReply {
  const { script, apiKey, maxRequests = 1000, models = ['scripted'], now = Date.now } = options;
  let arrived = 0;
  let asked = 0;

  return request => {
    const path = request.path.replace(/^\/v1(?=\/)/, '');
    const google = googlePath(request.path);
    const isGenerated = google !== undefined && Object.hasOwn(googleMethods, google.method);
    const wire = request.method !== 'POST' ? undefined : isGenerated ? googleGenerate : wires[path];
    const fail = failWith(wire ?? wireOfPath(path, google !== undefined));
    if (wire && ++arrived > maxRequests) return fail(tooMany(maxRequests));
    if (apiKey !== undefined && !carriesKey(request.headers, apiKey))
      return fail({ httpStatus: 401, message: 'The API key is missing or wrong.' });
    if (wire) return answerWith(wire, isGenerated ? googleBody(request.body, google) : request.body, fail);
    if (google?.method === 'countTokens') return json({ totalTokens: tokenCount(request.body).input_tokens });
    if (request.method === 'GET' && path === '/models') return json(modelList(models));
    if (request.method === 'POST' && path === '/messages/count_tokens') return json(tokenCount(request.body));
    return fail({ httpStatus: 404, message: `There is nothing at ${request.method} ${request.path}.` });
  };

  function answerWith(wire: Wire, body: unknown, fail: Fail): RoutedReply {
    const parsed = parseRequest(wire, body);
    if ('httpStatus' in parsed) return fail(parsed);
    const seen = scriptedRequest({
      index: asked++,
      api: wire.api,
      model: parsed.model,
      toolNames: () => parsed.toolNames,
      messages: () => parsed.messages,
    });
    const turn = ask(() => resolveTurn(turnFor(script, seen), seen));
    if ('failure' in turn) return { ...fail(turn.failure), seen };
    const context = { request: parsed, number: seen.index + 1, createdAt: Math.floor(now() / 1000) };
    return { ...answerReply(wire, turn.answer, context, fail), seen };
  }
}

function wireOfPath(path: string, isGoogle: boolean): Wire {
  if (isGoogle) return googleGenerate;
  return path.startsWith('/messages') ? anthropicMessages : openaiChat;
}

/** A request to Google Gemini with what its path contains. */
function googleBody(body: unknown, { model, method }: NonNullable<ReturnType<typeof googlePath>>): unknown {
  return typeof body === 'object' ? { ...body, model, stream: googleMethods[method] } : body;
}

type Fail = (failure: ScriptedFailure) => Reply;

function failWith(wire: Wire): Fail {
  return failure => ({
    status: failure.httpStatus,
    headers: failureHeaders(failure),
    content: { json: wire.error(failure) },
  });
}

function answerReply(wire: Wire, answer: Answer, context: WireContext, fail: Fail): Reply {
  const { cut, delayMs } = answer;
  const headers = { 'x-request-id': `req_${context.number}`, 'request-id': `req_${context.number}`, ...answer.headers };
  if (context.request.stream)
    return { status: 200, headers, content: { frames: wire.frames(answer, context) }, delayMs, cut };
  if (answer.finishReason === 'error') return fail({ httpStatus: 500, message: streamErrorMessage });
  const content = { json: wire.body(answer, context) };
  return { status: 200, headers, content, delayMs: delayMs * countFragments(answer.blocks), cut };
}

function parseRequest(wire: Wire, body: unknown): WireRequest | ScriptedFailure {
  if (typeof body === 'string') return { httpStatus: 400, message: 'The body is not JSON.' };
  try {
    return wire.parse(body);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    return { httpStatus: 400, message: `The body is not a request of this API. ${z.prettifyError(error)}` };
  }
}

function ask<Turn>(script: () => Turn): Turn | { failure: ScriptedFailure } {
  try {
    return script();
  } catch (error) {
    const httpStatus = SingletreeError.is(error) ? error.status : 500;
    const message = errorText(error);
    return { failure: { httpStatus, message, headers: finalHeaders } };
  }
}

// The clients of these APIs try again on a server error unless a header forbids it.
const finalHeaders = { 'x-should-retry': 'false' };

function tooMany(maxRequests: number): ScriptedFailure {
  const message = `This server answers at most ${maxRequests} requests, and this is one more. Raise maxRequests if that is right.`;
  return { httpStatus: 500, message, headers: finalHeaders };
}

function carriesKey(headers: ArrivedRequest['headers'], apiKey: string): boolean {
  return (
    headers['authorization'] === `Bearer ${apiKey}` ||
    [headers['x-api-key'], headers['x-goog-api-key']].includes(apiKey)
  );
}

function json(value: unknown): Reply {
  return { status: 200, content: { json: value } };
}

function modelList(models: readonly string[]) {
  const data = models.map(id => ({
    id,
    object: 'model',
    type: 'model',
    display_name: id,
    created: 0,
    created_at: '1970-01-01T00:00:00Z',
    owned_by: 'scripted',
  }));
  return { object: 'list', data, has_more: false, first_id: models[0] ?? null, last_id: models.at(-1) ?? null };
}

function tokenCount(body: unknown) {
  return { input_tokens: Math.ceil(JSON.stringify(body).length / 4) };
}
