/** Every error code, with the HTTP status of a server's response. */
export const errorStatus = {
  invalid_event: 400,
  invalid_argument: 400,
  invalid_permission_rule: 400,
  invalid_config: 500,
  unknown_provider: 400,
  missing_api_key: 503,
  missing_base_url: 503,
  thread_not_found: 404,
  thread_exists: 409,
  seq_conflict: 409,
  once_conflict: 409,
  lease_held: 409,
  lease_lost: 409,
  raw_conflict: 409,
  log_closed: 503,
  log_corrupt: 500,
  log_foreign: 500,
  log_newer: 500,
  log_unavailable: 503,
  log_busy: 503,
  log_full: 507,
  store_unreachable: 503,
  driver_missing: 501,
  run_not_found: 404,
  relay_not_found: 404,
  relay_resolved: 409,
  relay_expired: 410,
  relay_foreign: 403,
  plan_conflict: 409,
  run_under_way: 409,
  run_interrupted: 409,
  run_detached: 409,
  agent_not_found: 404,
  context_missing: 500,
  not_found: 404,
  request_forbidden: 403,
  body_too_large: 413,
  event_too_large: 413,
  thread_too_large: 413,
  unsupported_media_type: 415,
  address_unavailable: 503,
  server_unreachable: 503,
  workspace_unavailable: 503,
  worktree_unavailable: 503,
  worktree_changed: 409,
  apply_conflict: 409,
  trust_changed: 409,
  rewind_incomplete: 409,
  too_many_calls: 429,
  not_supported: 501,
  internal: 500,
} as const;

export type ErrorCode = keyof typeof errorStatus;

const brand = Symbol.for('singletree.error');

/** The only error class: `message` says what happened, what was expected and what to do; `code` is stable. */
export class SingletreeError extends Error {
  override readonly name = 'SingletreeError';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  readonly [brand] = true;

  constructor(code: ErrorCode, message: string, options: { details?: Record<string, unknown>; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
  }

  get status(): number {
    return errorStatus[this.code];
  }

  /** Whether a value is an error of this class, also one made by another copy of this package. */
  static is(value: unknown, code?: ErrorCode): value is SingletreeError {
    if (typeof value !== 'object' || value === null || !(brand in value)) return false;
    return code === undefined || (value as SingletreeError).code === code;
  }
}

const outages: ReadonlySet<string> = new Set(['log_busy', 'log_full', 'store_unreachable'] satisfies ErrorCode[]);

/**
 * Whether a store is temporarily unavailable: another process holds its lock (`log_busy`), its disk is full or fails
 * (`log_full`), or it cannot be reached (`store_unreachable`). The same call may succeed later; a change that was made
 * although its answer was lost is recognised then.
 */
export function isStoreUnavailable(error: unknown): error is SingletreeError {
  return SingletreeError.is(error) && outages.has(error.code);
}
