import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

/** A span as OTLP in JSON has it, as far as tests look at it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

export interface ReceivedRequest {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly resource: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly spans: readonly ReceivedSpan[];
}

/** A receiver of OTLP over HTTP on a free port. */
export interface TraceReceiver {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** Every span that was received, also those that came twice. */
  readonly spans: readonly ReceivedSpan[];
  close(): Promise<void>;
}

/** Starts a receiver; `respond` answers a request instead of accepting it. */
export async function startReceiver(
  respond?: (response: ServerResponse, number: number) => void,
): Promise<TraceReceiver> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then(raw => {
      const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw).toString();
      const body = JSON.parse(text) as {
        resourceSpans: {
          resource: { attributes: ReceivedRequest['resource'] };
          scopeSpans: { spans: ReceivedSpan[] }[];
        }[];
      };
      const { url: path, headers } = request;
      const [sent] = body.resourceSpans;
      const spans = sent?.scopeSpans.flatMap(scope => scope.spans) ?? [];
      requests.push({ path, headers, resource: sent?.resource.attributes ?? [], spans });
      if (respond !== undefined) return respond(response, requests.length);
      response.setHeader('content-type', 'application/json');
      response.end('{"partialSuccess":{}}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    requests,
    get spans() {
      return requests.flatMap(({ spans }) => spans);
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
