import * as z from 'zod';
import { optionsCheck } from '../events/options/check-options.ts';
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
} from '../events/options/option-fields.ts';
import { SingletreeError } from '../events/index.ts';
import type { AppOptions } from './app.ts';
import type { Protocol } from '../protocols/index.ts';
import { mcpGrants } from './mcp/mcp-access.ts';
import type { AccessToken } from './security/access.ts';
import type { AttemptLimitOptions } from './security/attempt-limit.ts';
import { allRights } from './security/caller.ts';
import { isOrigin } from './security/cross-origin.ts';
import type { ServerOptions } from './start-server.ts';

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
  } satisfies Record<keyof Protocol, z.ZodType>);

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
      } satisfies Record<keyof AccessToken, z.ZodType>),
    )
    .optional(),
  authenticate: callback().optional(),
  attempts: z
    .strictObject({
      most: z.number().positive().optional(),
      windowMs: z.number().positive().optional(),
      addresses: z.number().positive().optional(),
      now: callback().optional(),
    } satisfies Record<keyof AttemptLimitOptions, z.ZodType>)
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
export const checkAppOptions = optionsCheck(
  'createApp',
  () =>
    ({
      ...shared(),
      isPublic: flag().optional(),
      signal: z.instanceof(AbortSignal, { error: 'expected an AbortSignal' }).optional(),
    }) satisfies Record<keyof AppOptions, z.ZodType>,
);

/** Throws `invalid_argument` for options of a server that are unknown, missing or invalid. */
export const checkServerOptions = optionsCheck(
  'startServer',
  () =>
    ({
      ...shared(),
      page: flag().optional(),
      host: name().optional(),
      port: z.int().min(0).max(65_535),
      graceMs: milliseconds().optional(),
    }) satisfies Record<keyof ServerOptions, z.ZodType>,
);

/** Throws `invalid_argument` for a server without tokens and `authenticate` that other machines reach. */
export function checkAuthenticated({ tokens = [], authenticate }: AppOptions, doing: string): void {
  if (tokens.length > 0 || authenticate !== undefined) return;
  throw new SingletreeError(
    'invalid_argument',
    `Cannot ${doing} without a token: everybody who reaches it could run agents. Give \`tokens\` or \`authenticate\`, or use 127.0.0.1.`,
  );
}
