import { createHmac } from 'node:crypto';
import { postPublic } from '../../agents/tools/web/public-request.ts';

export interface WebhookTarget {
  readonly url: string;
  readonly secret: string;
  readonly allowHosts: readonly string[];
  readonly timeoutMs: number;
}

/** A request that was not accepted; `retryMs` is the delay that the receiver asks for. */
export class WebhookRefused extends Error {
  readonly retryMs: number;

  constructor(status: number, retryMs: number) {
    super(`The receiver answered ${status}.`);
    this.name = 'WebhookRefused';
    this.retryMs = retryMs;
  }
}

/** The longest delay that a receiver can ask for. */
const longestRetryMs = 60 * 60 * 1000;

/** Posts a signed body; rejects unless the receiver answers with a success. Redirects are not followed. */
export async function postWebhook(
  { url, secret, allowHosts, timeoutMs }: WebhookTarget,
  { key, body, seconds, signal }: { key: string; body: string; seconds: number; signal: AbortSignal },
): Promise<void> {
  const response = await postPublic(url, {
    allowHosts,
    body,
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    headers: {
      'content-type': 'application/json',
      'idempotency-key': key,
      'singletree-signature': `t=${seconds},v1=${sign(secret, seconds, body)}`,
    },
  });
  // The content of the answer does not matter, however long it is.
  response.destroy();
  const { statusCode = 0, headers } = response;
  if (statusCode >= 200 && statusCode < 300) return;
  const asked = Number(headers['retry-after'] ?? 0) * 1000;
  throw new WebhookRefused(statusCode, Number.isFinite(asked) ? Math.min(longestRetryMs, Math.max(0, asked)) : 0);
}

/** The HMAC of the time and the body: a body cannot be changed, and an old one not be sent again unnoticed. */
function sign(secret: string, seconds: number, body: string): string {
  return createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
}
