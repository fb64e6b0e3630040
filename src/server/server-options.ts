import * as z from 'zod';
import { optionsCheck, type OptionFields } from '../base/options/check-options.ts';
import {
  callback,
  eventLog,
  field,
  flag,
  having,
  milliseconds,
  name,
  object,
  text,
} from '../base/options/option-fields.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import type { Protocol } from '../protocols/protocol.ts';
import { type McpGrant, mcpGrants } from './mcp/mcp-access.ts';
import type { AccessToken } from './security/access.ts';
import type { AttemptLimitOptions } from './security/attempt-limit.ts';
import { allRights, type Authenticate } from './security/caller.ts';
import { isOrigin } from './security/request-guard.ts';
import type { SessionPlace } from '../agents/cli/sessions/session-format.ts';
import type { OnDiagnostic } from '../base/diagnostics.ts';
import type { RunControl } from '../control/supervision/run-control.ts';
import type { Worktrees } from '../control/worktrees/worktrees.ts';
import type { EventLog, Thread } from '../log/event-log.ts';
import type { AgentDirectory, ProjectHost, ProviderHost } from './hosts.ts';
import type { LogStyle } from './request-log.ts';
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
  /** The folder of the agents, whose files messages can mention; without it only files of threads with a folder. */
  readonly folder?: string;
  /** The folder with the snapshots of the coding agent; without it nothing can be undone. */
  readonly snapshots?: string;
  /** The git worktrees of compared agents; without it all agents work in their own folder. */
  readonly worktrees?: Worktrees;
  /** The home folder and variables with which to find sessions of external agents; without it imports are disabled. */
  readonly sessions?: Omit<SessionPlace, 'path'>;
  /** The project folders; without it every agent works in its own folder. */
  readonly projects?: ProjectHost;
  /** Stores the keys of providers; without it the server cannot store keys. */
  readonly providers?: ProviderHost;
  /** The accepted tokens; without tokens and `authenticate` the server accepts every request. */
  readonly tokens?: readonly AccessToken[];
  /** Finds the caller of each request instead of `tokens`, such as by the sessions of the embedding product. */
  readonly authenticate?: Authenticate;
  /** The limit of attempts with wrong tokens. */
  readonly attempts?: AttemptLimitOptions;
  /** The grants of MCP clients at `/mcp` in addition to reading: run agents (`run`) and answer relays (`answer`). */
  readonly mcpAllow?: readonly McpGrant[];
  /** With `model`, the agent's program or model titles threads after the first turn; else first words are used. */
  readonly titles?: 'model' | 'message';
  /** Secret values: they are replaced in answers, events and logs. Tokens need not be named. */
  readonly secrets?: readonly string[];
  /** Whether the server is reached from other machines; `hosts` implies it. */
  readonly isPublic?: boolean;
  /** The host names that clients on other machines use for the server, in addition to its IP addresses. */
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
  /** The buffer size in bytes above which a slow event stream is ended; 1 MiB when absent. */
  readonly bufferBytes?: number;
  /** The maximum size of an import; 256 MiB when absent. */
  readonly importBytes?: number;
  /** How requests are logged on stderr; `errors` when absent. */
  readonly logStyle?: LogStyle;
  /** Called before a thread is deleted, with the ids of its runs. */
  readonly onDelete?: (threadId: string, runIds: readonly string[]) => Promise<void>;
  /** Receives every unexpected failure; prints it when absent. */
  readonly onFailure?: (error: unknown) => void;
  /** The span export of the supervisor; `/metrics` shows its counts. */
  readonly telemetry?: { readonly counts: SpanCounts };
  /** Receives failures that no caller awaits; ignored by default. `/metrics` counts them by code. */
  readonly onDiagnostic?: OnDiagnostic;
  /** The version in the OpenAPI document. */
  readonly version?: string;
}

export interface ServerOptions extends Omit<AppOptions, 'signal' | 'isPublic'> {
  /** Whether the page of Singletree is served; true when absent. `webRoot` names the folder of another page. */
  readonly page?: boolean;
  /** `127.0.0.1` when absent; any other address than loopback, and any name in `hosts`, needs `tokens` or `authenticate`. */
  readonly host?: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** How long `close` waits for open requests; 3 s when absent. */
  readonly graceMs?: number;
}

const bytes = () => field(value => typeof value === 'number' && value > 0, 'a number of bytes, more than 0');
const protocol = () =>
  z.strictObject({
    description: z.string(),
    covers: z.enum(['request', 'thread']),
    framing: z.object({ headers: object(), frame: callback(), problem: callback(), comment: callback(), last: text() }),
    encoder: callback(),
    versions: z.array(z.string()).optional(),
    isVerbatim: z.boolean().optional(),
    usesRawLines: z.boolean().optional(),
  } satisfies OptionFields<Protocol>);

/** The options that `createApp` and `startServer` share. */
const shared = () => ({
  log: eventLog(),
  control: having(['start', 'answer', 'abort', 'takeOver'], 'the control of runs, such as a `new Supervisor({ log })`'),
  agents: having(['list', 'get'], 'the agents as `{ list, get }`'),
  protocols: z.record(z.string(), protocol()).optional(),
  webRoot: name().optional(),
  pageTitle: name().optional(),
  folder: name().optional(),
  snapshots: name().optional(),
  worktrees: having(['create', 'records'], 'a `new Worktrees({ home, folder })`').optional(),
  projects: having(['listProjects', 'openProject'], 'the projects of a server').optional(),
  providers: having(['list', 'store'], 'what stores the keys of providers').optional(),
  sessions: z
    .strictObject({ home: name(), environment: object() } satisfies Record<
      keyof NonNullable<AppOptions['sessions']>,
      z.ZodType
    >)
    .optional(),
  filesRoot: field(
    value => typeof value === 'string' || typeof value === 'function',
    'a folder, or a function that returns the folder of a thread',
  ).optional(),
  tokens: z
    .array(
      z.strictObject({
        token: z.string().min(1),
        name: z.string().min(1).max(200).optional(),
        resourceId: z.string().min(1).optional(),
        rights: z.array(z.enum(allRights)).optional(),
      } satisfies OptionFields<AccessToken>),
    )
    .optional(),
  authenticate: callback().optional(),
  attempts: z
    .strictObject({
      most: z.number().positive().optional(),
      windowMs: z.number().positive().optional(),
      addresses: z.number().positive().optional(),
      now: callback().optional(),
    } satisfies OptionFields<AttemptLimitOptions>)
    .optional(),
  mcpAllow: z.array(z.enum(mcpGrants)).optional(),
  titles: z.enum(['model', 'message']).optional(),
  secrets: z.array(z.string()).optional(),
  hosts: z.array(z.string()).optional(),
  cors: z
    .array(
      field(
        value => typeof value === 'string' && isOrigin(value),
        'an exact origin, such as "https://app.example" or "http://localhost:3000", without a path, a slash or `*`',
      ),
    )
    .optional(),
  keepAliveMs: milliseconds().optional(),
  bufferBytes: bytes().optional(),
  importBytes: bytes().optional(),
  logStyle: z.enum(['json', 'pretty', 'errors', 'off']).optional(),
  onDelete: callback().optional(),
  onFailure: callback().optional(),
  telemetry: field(value => value instanceof Object && 'counts' in value, 'a `new Telemetry({ log, url })`').optional(),
  onDiagnostic: callback().optional(),
  version: text().optional(),
});

/** Throws `invalid_argument` for options of an app that are unknown, missing or invalid. */
export const checkAppOptions = optionsCheck<AppOptions>('createApp')(() => ({
  ...shared(),
  isPublic: flag().optional(),
  signal: z.instanceof(AbortSignal, { error: 'expected an AbortSignal' }).optional(),
}));

/** Throws `invalid_argument` for options of a server that are unknown, missing or invalid. */
export const checkServerOptions = optionsCheck<ServerOptions>('startServer')(() => ({
  ...shared(),
  page: flag().optional(),
  host: name().optional(),
  port: z.int().min(0).max(65_535),
  graceMs: milliseconds().optional(),
}));

/** Throws `invalid_argument` for a server without tokens and `authenticate` that other machines reach. */
export function checkAuthenticated({ tokens = [], authenticate }: AppOptions, doing: string): void {
  if (tokens.length > 0 || authenticate !== undefined) return;
  throw new SingletreeError(
    'invalid_argument',
    `Cannot ${doing} without a token: everybody who reaches it could run agents. Give \`tokens\` or \`authenticate\`, or use 127.0.0.1.`,
  );
}
