import type { ScriptedFailure } from '../../agents/model/scripted/script.ts';
import { failureMessage } from '../../agents/model/scripted/scripted-failure.ts';

const known: Readonly<Record<number, { type: string; code: string | null }>> = {
  400: { type: 'invalid_request_error', code: null },
  401: { type: 'invalid_request_error', code: 'invalid_api_key' },
  403: { type: 'invalid_request_error', code: 'unsupported_country_region_territory' },
  404: { type: 'invalid_request_error', code: null },
  429: { type: 'requests', code: 'rate_limit_exceeded' },
};

/** The body of a failure, as both OpenAI APIs have it. */
export function openaiError(failure: ScriptedFailure): { error: Record<string, unknown> } {
  const { type, code } = known[failure.httpStatus] ?? { type: 'server_error', code: null };
  return { error: { message: failureMessage(failure), type, param: null, code: failure.code ?? code } };
}
