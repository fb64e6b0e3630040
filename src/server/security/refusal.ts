/** The refusals that exist only over HTTP, with their status. */
const refusalStatus = { unauthorized: 401, too_many_attempts: 429, slow_reader: 503 } as const;

export type RefusalCode = keyof typeof refusalStatus;

/** A request or a reader is refused for a reason that lies in HTTP: `headers` say what to do about it. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: RefusalCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.code = code;
    this.headers = headers;
  }

  get status(): number {
    return refusalStatus[this.code];
  }
}
