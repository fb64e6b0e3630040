import type { ServerResponse } from 'node:http';
import type { Context, Hono } from 'hono';
import type * as z from 'zod';
import type { Thread } from '../log/event-log.ts';
import type { HttpRoute } from '../protocols/http-routes.ts';
import { checkInput, readBody } from './request-input.ts';
import { checkRight, type Right, type Scope } from './security/caller.ts';
import type { Site } from './site.ts';
import type { OpenStream } from './streams/byte-sink.ts';

/** The bindings and the variables that the middleware sets for the routes. */
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

/** An authorized and validated request. */
export interface RouteRequest<Query, Body, Found = undefined> {
  readonly context: Context<AppEnv>;
  /** A part of the path, decoded. */
  readonly param: (name: string) => string;
  readonly query: Query;
  readonly body: Body;
  readonly scope: Scope;
  /** The thread that the path names. */
  readonly thread: Found;
}

/** A response body other than JSON. */
export interface OtherContent {
  readonly contentType: string;
  readonly description: string;
}

/** The contract and handler of a route. */
interface RouteDefinition<Query extends z.ZodType, Body extends z.ZodType, Found = undefined> {
  /** The right that the caller needs; `none` for a route without authentication. */
  readonly right: Right | 'none';
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
  /** The response body on success; empty when absent. */
  readonly answer?: z.ZodType | OtherContent | readonly OtherContent[];
  /** Descriptions of other successful responses, by status. */
  readonly others?: Readonly<Record<number, string>>;
  /** A value is answered as JSON. */
  readonly handle: (request: RouteRequest<z.infer<Query>, z.infer<Body>, Found>) => unknown;
}

/** The path has its parameters in braces, such as `/api/threads/{threadId}`. */
type Address = `${'GET' | 'POST' | 'PATCH' | 'DELETE'} ${string}`;

/** One route of the server: its OpenAPI description and its handler. */
export interface Route extends Omit<RouteDefinition<z.ZodType, z.ZodType>, 'handle'> {
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly handle: (request: RouteRequest<never, never>, site: Site) => unknown;
}

/** The schema of the body of a route of the table. */
type BodyOf<Named extends HttpRoute> = Named extends { readonly body: infer Body extends z.ZodType } ? Body : z.ZodType;

/** Declares a route, by its address or by its entry in `httpRoutes`; its handler sees the types of its query and body. */
export function route<Query extends z.ZodType, Named extends HttpRoute>(
  tag: string,
  named: Named,
  definition: RouteDefinition<Query, BodyOf<Named>>,
): Route;
export function route<Query extends z.ZodType, Body extends z.ZodType>(
  tag: string,
  address: Address,
  definition: RouteDefinition<Query, Body>,
): Route;
export function route(
  tag: string,
  address: Address | HttpRoute,
  definition: RouteDefinition<z.ZodType, z.ZodType>,
): Route {
  if (typeof address !== 'string') return { ...address, ...definition, tag };
  const [method = '', path = ''] = address.split(' ');
  return { ...definition, method: method.toLowerCase(), path, tag };
}

interface ThreadRouteDefinition<Query extends z.ZodType, Body extends z.ZodType>
  extends RouteDefinition<Query, Body, Thread> {
  readonly outsideRuns?: boolean;
}

/**
 * Declares a route of the thread that its path names as `threadId`, which must be one that the caller sees. With
 * `outsideRuns` it refuses programs of the thread's own runs.
 */
export function threadRoute<Query extends z.ZodType, Named extends HttpRoute>(
  tag: string,
  named: Named,
  definition: ThreadRouteDefinition<Query, BodyOf<Named>>,
): Route;
export function threadRoute<Query extends z.ZodType, Body extends z.ZodType>(
  tag: string,
  address: Address,
  definition: ThreadRouteDefinition<Query, Body>,
): Route;
export function threadRoute(
  tag: string,
  address: Address | HttpRoute,
  { outsideRuns = false, handle, ...definition }: ThreadRouteDefinition<z.ZodType, z.ZodType>,
): Route {
  return {
    ...route(tag, address as Address, { ...definition, handle: () => {} }),
    handle: async (request, site) => {
      const { scope, param } = request;
      const thread = await (outsideRuns
        ? site.findToSend(scope, param('threadId'))
        : site.find(scope, param('threadId')));
      return handle({ ...request, thread });
    },
  };
}

/** Adds a route to the app; checks its right and input and removes secrets from its response. */
export function mountRoute(app: Hono<AppEnv>, definition: Route, site: Site): void {
  const { method, path, right, query, body, bodyBytes, status = 200, handle } = definition;
  // The router writes parameters with a colon.
  app.on(method.toUpperCase(), path.replaceAll(/\{(\w+)\}/g, ':$1'), async context => {
    context.set('route', path);
    const scope = context.get('scope');
    if (right !== 'none') checkRight(scope, right);
    const request = {
      context,
      param: (name: string) => context.req.param(name as never) ?? '',
      query: query && checkInput(query, context.req.query(), 'The query'),
      body: body && (await readBody(context.req, body, bodyBytes)),
      scope,
      thread: undefined,
    };
    const answer: unknown = await handle(request as RouteRequest<never, never>, site);
    if (answer instanceof Response) return answer;
    if (status === 204) return new Response(null, { status });
    return new Response(site.redactor.json(JSON.stringify(answer ?? {})), { status, headers: jsonHeaders });
  });
}

const jsonHeaders = { 'content-type': 'application/json', 'cache-control': 'no-store' };
