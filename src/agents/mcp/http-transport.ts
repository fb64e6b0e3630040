import { type JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { untilAborted } from '../loop/until-aborted.ts';
import type { McpAddress } from './mcp-server.ts';

type SendOptions = NonNullable<Parameters<StreamableHTTPClientTransport['send']>[1]>;

/** How long a server may take to be told that a session is over. */
const farewellMs = 2_000;

/** The code of the error that stands for an answer that never came. */
export const brokenStream = -32_000;

/** Speaks to a server over streamable HTTP; a request whose stream breaks off gets an error and does not wait on. */
export class HttpTransport extends StreamableHTTPClientTransport {
  constructor({ url, headers = {} }: McpAddress) {
    super(new URL(url), { requestInit: { headers } });
  }

  override send(message: JSONRPCMessage, options: SendOptions = {}): Promise<void> {
    if (!('method' in message && 'id' in message) || options.onRequestStreamEnd !== undefined)
      return super.send(message, options);
    const { id } = message;
    // After an answer this is one more for the same request, which nobody waits for.
    const onRequestStreamEnd = () =>
      this.onmessage?.({ jsonrpc: '2.0', id, error: { code: brokenStream, message: 'its answer broke off' } });
    return super.send(message, { ...options, onRequestStreamEnd });
  }

  /** Ends the session and the connection; never rejects. */
  override async close(): Promise<void> {
    await untilAborted(this.terminateSession(), AbortSignal.timeout(farewellMs)).catch(() => {});
    await super.close();
  }
}
