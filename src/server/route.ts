import type { ServerResponse } from 'node:http';
import type { Context, Hono } from 'hono';
import type * as z from 'zod';
import { readBody, readQuery } from './request-input.ts';
import { checkRight, type Right, type Scope } from './security/caller.ts';
import type { Redactor } from '../agents/redaction/redactor.ts';
import type { OpenStream } from './streams/byte-sink.ts';

/** What the middleware leaves for the routes. */
export interface AppEnv {
  readonly Bindings: {
    readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } };
    /** The response of Node's server; absent when another one serves the app. */
    readonly outgoing?: ServerResponse;
  };
  readonly Variables: {
    scope: Scope;
    route?: string;
    /** Opens the stream that is the body of the response. */
    stream?: OpenStream;
  };
}

/** A request that was let in and checked. */
export interface RouteRequest<Query, Body> {
  readonly context: Context<AppEnv>;
  /** A part of the path, decoded. */
  readonly param: (name: string) => string;
  readonly query: Query;
  readonly body: Body;
  readonly scope: Scope;
}

/** What a route answers with when it is not JSON. */
export interface OtherContent {
  readonly contentType: string;
  readonly description: string;
}

/** One route of the server: what the OpenAPI document says of it, and what it does. */
export interface Route<Query extends z.ZodType = z.ZodType, Body extends z.ZodType = z.ZodType> {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** With its parameters in braces, such as `/api/threads/{threadId}`. */
  readonly path: string;
  /** What the caller must be allowed to do; `none` for a route that needs no caller. */
  readonly right: Right | 'none';
  readonly tag: string;
  readonly summary: string;
  readonly query?: Query;
  /** The JSON body. */
  readonly body?: Body;
  /** How large the body may be; 1 MiB when absent. */
  readonly bodyBytes?: number;
  /** A body that is not JSON: the route reads it itself. */
  readonly upload?: OtherContent;
  /** Headers it reads, with what they say. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The status of success; 200 when absent. */
  readonly status?: 200 | 201 | 202 | 204 | 303;
  /** What success answers with; nothing when absent. */
  readonly answer?: z.ZodType | OtherContent | readonly OtherContent[];
  /** Other answers that are no errors, with what they mean. */
  readonly others?: Readonly<Record<number, string>>;
  /** A value is answered as JSON. */
  readonly handle: (request: RouteRequest<z.infer<Query>, z.infer<Body>>) => unknown;
}

/** A route whose handler sees the types of its own query and body. */
export function route<Query extends z.ZodType, Body extends z.ZodType>(definition: Route<Query, Body>): Route {
  return definition;
}

/** Adds a route to the app: its right and its input are checked, its answer has no secrets in it. */
export function mountRoute(app: Hono<AppEnv>, definition: Route, redactor: Redactor): void {
  const { method, path, right, query, body, bodyBytes, status = 200, handle } = definition;
  app.on(method.toUpperCase(), honoPath(path), async context => {
    context.set('route', path);
    const scope = context.get('scope');
    if (right !== 'none') checkRight(scope, right);
    const answer: unknown = await handle({
      context,
      param: name => context.req.param(name as never) ?? '',
      query: query && readQuery(context.req, query),
      body: body && (await readBody(context.req, body, bodyBytes)),
      scope,
    });
    if (answer instanceof Response) return answer;
    if (status === 204) return new Response(null, { status });
    return new Response(redactor.json(JSON.stringify(answer ?? {})), { status, headers: jsonHeaders });
  });
}

const jsonHeaders = { 'content-type': 'application/json', 'cache-control': 'no-store' };

/** The path as the router writes it. */
function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
