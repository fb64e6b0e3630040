import { type JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { untilAborted } from '../loop/until-aborted.ts';
import type { McpAddress } from '../contract/mcp-server.ts';

type SendOptions = NonNullable<Parameters<StreamableHTTPClientTransport['send']>[1]>;

/** The time limit for ending a session. */
const farewellMs = 2_000;

/** The error code of an answer that never arrived. */
export const brokenStream = -32_000;

/** A streamable HTTP transport in which a request whose stream breaks off fails instead of waiting. */
export class HttpTransport extends StreamableHTTPClientTransport {
  constructor({ url, headers = {} }: McpAddress) {
    super(new URL(url), { requestInit: { headers } });
  }

  override send(message: JSONRPCMessage, options: SendOptions = {}): Promise<void> {
    if (!('method' in message && 'id' in message) || options.onRequestStreamEnd !== undefined)
      return super.send(message, options);
    const { id } = message;
    // After an answer this is a second one for the same request, which is ignored.
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
