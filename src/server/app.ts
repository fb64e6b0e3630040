import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import type { SessionPlace } from '../agents/cli/sessions/session-format.ts';
import type { OnDiagnostic } from '../control/diagnostics.ts';
import type { RunControl } from '../control/supervision/run-control.ts';
import type { Worktrees } from '../control/worktrees/worktrees.ts';
import { defined } from '../events/defined.ts';
import { SingletreeError } from '../events/index.ts';
import { parseTraceparent } from '../events/trace-context.ts';
import { runHeader } from '../control/supervision/inside-run.ts';
import type { EventLog, Thread } from '../log/index.ts';
import type { Protocol } from '../protocols/index.ts';
import type { AgentDirectory } from './agent-directory.ts';
import type { McpGrant } from './mcp/mcp-access.ts';
import { mcpHandler } from './mcp/mcp-http.ts';
import type { ProjectHost } from './project-host.ts';
import type { ProviderHost } from './provider-host.ts';
import { problemOf, problemResponse } from './problem-response.ts';
import { type LogStyle, requestLog } from './request-log.ts';
import { type AppEnv, mountRoute, type Route } from './route.ts';
import { agUiRoutes } from './routes/ag-ui-routes.ts';
import { baseRoutes } from './routes/base-routes.ts';
import { chatRoutes } from './routes/chat-routes.ts';
import { comparisonRoutes } from './routes/comparison-routes.ts';
import { fileRoutes } from './routes/file-routes.ts';
import { grantRoutes } from './routes/grant-routes.ts';
import { addressOf, loginRoutes } from './routes/login-routes.ts';
import { mentionRoutes } from './routes/mention-routes.ts';
import { messageRoutes } from './routes/message-routes.ts';
import { operationRoutes } from './routes/operation-routes.ts';
import { projectRoutes } from './routes/project-routes.ts';
import { providerRoutes } from './routes/provider-routes.ts';
import { referenceRoutes } from './routes/reference-routes.ts';
import { queryRoutes } from './routes/query-routes.ts';
import { relayRoutes } from './routes/relay-routes.ts';
import { queueRoutes } from './routes/queue-routes.ts';
import { rewindRoutes } from './routes/rewind-routes.ts';
import { runRoutes } from './routes/run-routes.ts';
import { sessionRoutes } from './routes/session-routes.ts';
import { streamRoutes } from './routes/stream-routes.ts';
import { threadRoutes } from './routes/thread-routes.ts';
import { worktreeRoutes } from './routes/worktree-routes.ts';
import { type AccessToken, unauthorized } from './security/access.ts';
import type { AttemptLimitOptions } from './security/attempt-limit.ts';
import { type Authenticate, scopeFor } from './security/caller.ts';
import { CrossOrigin } from './security/cross-origin.ts';
import { Refusal } from './security/refusal.ts';
import { requestGuard } from './security/request-guard.ts';
import { securityHeaders } from './security/security-headers.ts';
import { checkAppOptions } from './server-options.ts';
import { Site } from './site.ts';
import { type OpenStream, sendStream, webBody } from './streams/byte-sink.ts';
import { staticFiles } from './static-files.ts';
import type { SpanCounts } from '../telemetry/span-sender.ts';

export interface AppOptions {
  readonly log: EventLog;
  readonly control: RunControl;
  readonly agents: AgentDirectory;
  /** More protocols for event streams, by the name that a reader asks for with `?protocol=`. */
  readonly protocols?: Readonly<Record<string, Protocol>>;
  /** The folder of the built page; without it the server has no page. */
  readonly webRoot?: string;
  /** The title of the page; that of its file when absent. */
  readonly pageTitle?: string;
  /**
   * The folder that files of threads are downloaded from; without it none are. A token of one resource opens files only
   * when it is a function, which gets the folder of the thread.
   */
  readonly filesRoot?: string | ((thread: Thread) => string | undefined);
  /** The folder that agents work in: its files can be mentioned in messages; without it only those of threads with a folder. */
  readonly folder?: string;
  /** The folder with the snapshots of the coding agent; without it nothing can be undone. */
  readonly snapshots?: string;
  /** The git worktrees of compared agents; without it all agents work in their own folder. */
  readonly worktrees?: Worktrees;
  /** The home folder and the variables by which the sessions of external agents are found, to be imported; without it none are. */
  readonly sessions?: Omit<SessionPlace, 'path'>;
  /** The folders that people work in; without it every agent works in a folder of its own. */
  readonly projects?: ProjectHost;
  /** Stores the keys of providers; without it they come from elsewhere. */
  readonly providers?: ProviderHost;
  /** Who is let in; everybody when there is none and no `authenticate`. */
  readonly tokens?: readonly AccessToken[];
  /** Finds the caller of each request in the place of `tokens`, such as by the sessions of the product that the server is part of. */
  readonly authenticate?: Authenticate;
  /** How many wrong tokens are taken. */
  readonly attempts?: AttemptLimitOptions;
  /** What other agents may do at `/mcp` beside reading: run agents (`run`), and answer what agents ask (`answer`). */
  readonly mcpAllow?: readonly McpGrant[];
  /** Whether conversations are named after their first turn, by the program or a model; by default they have the first words. */
  readonly titles?: 'model' | 'message';
  /** Secret values: they are replaced in answers, events and logs. Tokens need not be named. */
  readonly secrets?: readonly string[];
  /** Whether the server is reached from other machines; `hosts` implies it. */
  readonly isPublic?: boolean;
  /** The names by which clients on other machines call the server, beside its IP addresses. */
  readonly hosts?: readonly string[];
  /**
   * The origins of other pages that may use the server, such as `http://localhost:3000`; none when absent. They have to
   * send a token themselves: cookies of other origins are ignored.
   */
  readonly cors?: readonly string[];
  /** Ends every open event stream. */
  readonly signal?: AbortSignal;
  /** How long an event stream is silent before a comment is sent; 15 s when absent. */
  readonly keepAliveMs?: number;
  /** How many bytes may wait for a reader of events before it is ended as too slow; 1 MiB when absent. */
  readonly bufferBytes?: number;
  /** How large an import may be; 256 MiB when absent. */
  readonly importBytes?: number;
  /** How requests are logged on stderr; `errors` when absent. */
  readonly logStyle?: LogStyle;
  /** Is called with a thread that is about to be deleted, with the ids of its runs. */
  readonly onDelete?: (threadId: string, runIds: readonly string[]) => Promise<void>;
  /** Receives every failure that is not one of ours; prints it when absent. */
  readonly onFailure?: (error: unknown) => void;
  /** The export of spans that the supervisor has: `/metrics` shows what became of them. */
  readonly telemetry?: { readonly counts: SpanCounts };
  /** Receives failures that nobody waits for; nobody by default. `/metrics` counts them by their code. */
  readonly onDiagnostic?: OnDiagnostic;
  /** The version in the OpenAPI document. */
  readonly version?: string;
}

/** The HTTP interface as an app of Hono, to be served or mounted in another one. */
export interface App extends Hono<AppEnv> {
  /** Delivers messages that waited when the process before ended; call it when the runs were recovered. */
  resume(): Promise<void>;
}

/**
 * Creates the HTTP interface over a log and the control of its runs; it keeps no state of its own. Throws
 * `invalid_argument` for options that are unknown, missing or invalid.
 */
export function createApp(options: AppOptions): App {
  checkAppOptions(options);
  const site = new Site(options);
  return Object.assign(appOf(site), { resume: () => site.conversations.recover() });
}

/** The app of a site. */
export function appOf(site: Site): Hono<AppEnv> {
  const { webRoot, pageTitle, hosts = [], cors = [], logStyle = 'errors' } = site.options;
  const app = new Hono<AppEnv>();
  const routes = routesOf(site);
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
        const caller = await site.authenticate(request, { address: addressOf(context) });
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

  for (const route of routes) mountRoute(app, route, site.redactor);
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
    site.metrics.countError(problemOf(error).code);
    return problemResponse(error, site.redactor);
  });
  return app;
}

/** Every route of a server. */
function routesOf(site: Site): Route[] {
  const routes = [
    ...operationRoutes(site),
    ...threadRoutes(site),
    ...messageRoutes(site),
    ...queueRoutes(site),
    ...comparisonRoutes(site),
    ...worktreeRoutes(site),
    ...sessionRoutes(site),
    ...projectRoutes(site),
    ...providerRoutes(site),
    ...streamRoutes(site),
    ...relayRoutes(site),
    ...grantRoutes(site),
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
