import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import { defined } from '../base/defined.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import { parseTraceparent } from '../events/trace-context.ts';
import { runHeader } from '../control/conversations/inside-run.ts';
import { mcpHandler } from './mcp/mcp-http.ts';
import { toProblem, problemResponse, Refusal } from './problem-response.ts';
import { requestLog } from './request-log.ts';
import { type AppEnv, mountRoute, type Route } from './route.ts';
import { agUiRoutes } from './routes/ag-ui-routes.ts';
import { baseRoutes, rewindRoutes } from './routes/rewind-routes.ts';
import { chatRoutes } from './routes/chat-routes.ts';
import { comparisonRoutes, worktreeRoutes } from './routes/worktree-routes.ts';
import { fileRoutes, mentionRoutes } from './routes/file-routes.ts';
import { relayRoutes } from './routes/relay-routes.ts';
import { getAddress, loginRoutes } from './routes/login-routes.ts';
import { messageRoutes } from './routes/message-routes.ts';
import { operationRoutes } from './routes/operation-routes.ts';
import { projectRoutes } from './routes/project-routes.ts';
import { providerRoutes } from './routes/provider-routes.ts';
import { referenceRoutes } from './routes/reference-routes.ts';
import { queryRoutes } from './routes/query-routes.ts';
import { runRoutes } from './routes/run-routes.ts';
import { sessionRoutes } from './routes/session-routes.ts';
import { streamRoutes } from './routes/stream-routes.ts';
import { threadRoutes } from './routes/thread-routes.ts';
import { unauthorized } from './security/access.ts';
import { scopeFor } from './security/caller.ts';
import { CrossOrigin, requestGuard, securityHeaders } from './security/request-guard.ts';
import { type AppOptions, checkAppOptions } from './server-options.ts';
import { Site } from './site.ts';
import { type OpenStream, sendStream, webBody } from './streams/byte-sink.ts';
import { staticFiles } from './static-files.ts';

/** The HTTP interface as an app of Hono, to be served or mounted in another one. */
export interface App extends Hono<AppEnv> {
  /** Delivers messages that were queued when the previous process ended; call it after runs were recovered. */
  resume(): Promise<void>;
}

/**
 * Creates the HTTP interface over a log and its run control; all durable state is in the log. Throws
 * `invalid_argument` for options that are unknown, missing or invalid.
 */
export function createApp(options: AppOptions): App {
  checkAppOptions(options);
  const site = new Site(options);
  return Object.assign(buildApp(site), { resume: () => site.conversations.recover() });
}

/** The app of a site. */
export function buildApp(site: Site): Hono<AppEnv> {
  const { webRoot, pageTitle, hosts = [], cors = [], logStyle = 'errors' } = site.options;
  const app = new Hono<AppEnv>();
  const routes = listRoutes(site);
  const openPaths = new Set(routes.filter(({ right }) => right === 'none').map(({ path }) => path));
  const crossOrigin = new CrossOrigin(cors);
  const guard = requestGuard({ isPublic: site.isPublic, hosts, allowsOrigin: origin => crossOrigin.isAllowed(origin) });
  const logRequest = requestLog(logStyle, site.redactor);

  app.use(async (context, next) => {
    const start = performance.now();
    await next();
    const headers = { ...securityHeaders, ...crossOrigin.headers(context.req.header('origin')) };
    for (const [name, value] of Object.entries(headers)) context.res.headers.set(name, value);
    const route = context.get('route') ?? 'other';
    const { status } = context.res;
    site.metrics.countRequest(context.req.method, route, status);
    const { method, path } = context.req;
    logRequest({ method, route, path, status, ms: performance.now() - start });
    const stream = context.get('stream');
    if (stream === undefined || method !== 'GET') return;
    const answer = streamed(stream, context.res, context.env?.outgoing);
    // Assigning one response to another would merge their headers.
    context.res = undefined;
    context.res = answer;
  });
  app.use(async (context, next) => {
    const { method, path } = context.req;
    const header = (name: string) => context.req.header(name);
    const origin = header('origin');
    guard({ method, host: header('host'), origin });
    const preflight = crossOrigin.preflight({
      method,
      origin,
      requestedMethod: header('access-control-request-method'),
      requestedHeaders: header('access-control-request-headers'),
    });
    if (preflight !== undefined) return preflight;
    if (openPaths.has(path)) context.set('scope', { rights: [] });
    else {
      const headers = new Headers(context.req.header());
      if (crossOrigin.isAllowed(origin)) headers.delete('cookie');
      try {
        // A request cannot be constructed with this method; no route has it.
        const request = new Request(context.req.url, { method: method === 'TRACE' ? 'GET' : method, headers });
        const caller = await site.authenticate(request, { address: getAddress(context) });
        if (caller === undefined) throw unauthorized('The sender of the request is not known. Sign in first.');
        context.set('scope', {
          ...scopeFor(caller, header(runHeader)),
          ...defined({ trace: parseTraceparent(header('traceparent')) }),
        });
      } catch (error) {
        const wantsPage = method === 'GET' && (header('accept') ?? '').includes('text/html');
        if (!(error instanceof Refusal) || !wantsPage || !openPaths.has('/login')) throw error;
        return context.redirect(`/login?next=${encodeURIComponent(path)}`, 303);
      }
    }
    return next();
  });

  for (const route of routes) mountRoute(app, route, site);
  app.all('/mcp', mcpHandler(site));
  app.all('/api/*', context => {
    throw new SingletreeError('not_found', `There is no ${context.req.method} ${context.req.path}.`);
  });
  if (webRoot !== undefined) app.get('*', staticFiles(webRoot, { title: pageTitle }));

  app.notFound(() =>
    problemResponse(new SingletreeError('not_found', 'There is nothing at this address.'), site.redactor),
  );
  app.onError(error => {
    if (!SingletreeError.is(error) && !(error instanceof Refusal)) site.reportFailure(error);
    site.metrics.countError(toProblem(error).code);
    return problemResponse(error, site.redactor);
  });
  return app;
}

/** Every route of a server. */
function listRoutes(site: Site): Route[] {
  const routes = [
    ...operationRoutes(site),
    ...threadRoutes(site),
    ...messageRoutes(site),
    ...comparisonRoutes(site),
    ...worktreeRoutes(site),
    ...sessionRoutes(site),
    ...projectRoutes(site),
    ...providerRoutes(site),
    ...streamRoutes(site),
    ...relayRoutes(site),
    ...rewindRoutes(site),
    ...baseRoutes(site),
    ...runRoutes(site),
    ...queryRoutes(site),
    ...fileRoutes(site),
    ...mentionRoutes(site),
    ...chatRoutes(site),
    ...agUiRoutes(site),
    ...(site.options.authenticate === undefined ? loginRoutes(site) : []),
  ];
  return [...routes, ...referenceRoutes(routes, site.options.version ?? '0')];
}

/** A response with a stream as its body. */
function streamed(open: OpenStream, head: Response, outgoing: ServerResponse | undefined): Response {
  if (outgoing === undefined) return new Response(webBody(open), head);
  sendStream(open, outgoing, head);
  return RESPONSE_ALREADY_SENT;
}
