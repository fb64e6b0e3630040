import { request } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined when it is not. */
  readonly json: Record<string, unknown>;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  /** Sent as it is when it is text or bytes, else as JSON. */
  readonly body?: unknown;
}

/** Asks a server byte for byte: unlike `fetch` it sends any path, `Host` and `Origin`. */
export function ask(url: string, path: string, { method = 'GET', headers = {}, body }: Ask = {}): Promise<Answer> {
  const raw = typeof body === 'string' || body instanceof Uint8Array;
  const sent = body === undefined || raw ? body : JSON.stringify(body);
  const type = body !== undefined && !raw ? { 'content-type': 'application/json' } : {};
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const asked = request(
      { hostname, port, path, method, headers: { ...type, connection: 'close', ...headers } },
      response => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const fields = Object.entries(response.headers).map(([name, value]): [string, string] => [
            name,
            String(value),
          ]);
          resolve({ status: response.statusCode ?? 0, headers: new Headers(fields), text, json: jsonOf(text) });
        });
      },
    );
    asked.on('error', reject);
    asked.end(sent);
  });
}

function jsonOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
