import type { Redactor } from '../agents/redaction/redactor.ts';
import { safeJson } from '../base/terminal-text.ts';
import { standardError } from '../control/standard-output.ts';

/** One answered request. */
export interface RequestRecord {
  readonly method: string;
  /** The route that answered it. */
  readonly route: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
}

/** How requests are logged: as JSON, for a person, for a person and only those that failed, or not at all. */
export type LogStyle = 'json' | 'pretty' | 'errors' | 'off';

/** Makes the function that logs requests, one line each, without secrets. */
export function requestLog(
  style: LogStyle,
  redactor: Redactor,
  write: (line: string) => void = line => void standardError.write(`${line}\n`),
): (record: RequestRecord) => void {
  if (style === 'json')
    return record =>
      write(safeJson(redactor.json(JSON.stringify({ time: new Date().toISOString(), msg: 'request', ...record }))));
  if (style === 'off') return () => {};
  return ({ method, path, status, ms }) => {
    if (style === 'pretty' || status >= 500) write(redactor.text(`${method} ${path} ${status} ${ms.toFixed(1)} ms`));
  };
}
