import { parseJson } from '../base/parse-json.ts';
import { type ErrorCode, errorStatus, SingletreeError } from '../base/singletree-error.ts';
import { problem } from '../protocols/http-api.ts';

/** The error a server returned: its own code where this version has it, else the nearest by status. */
export function problemFrom(text: string, status = 500): SingletreeError {
  const parsed = problem.safeParse(parseJson(text));
  if (!parsed.success)
    return new SingletreeError(toCode('', status), `The server answered with status ${status}.`, {
      details: { status },
    });
  const { code, detail, status: returned } = parsed.data;
  return new SingletreeError(toCode(code, returned), detail, { details: { code, status: returned } });
}

function toCode(code: string, status: number): ErrorCode {
  if (Object.hasOwn(errorStatus, code)) return code as ErrorCode;
  if (status === 404) return 'not_found';
  if (status === 401 || status === 403) return 'request_forbidden';
  if (status === 429) return 'server_unreachable';
  return status >= 400 && status < 500 ? 'invalid_argument' : 'server_unreachable';
}
