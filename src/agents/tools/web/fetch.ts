import type { OptionFields } from '../../../base/options/check-options.ts';
import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import { flag, milliseconds, number } from '../../../base/options/option-fields.ts';
import { defineTool } from '../../tool-definition/define-tool.ts';
import type { Tool } from '../../contract/agent.ts';
import { htmlText } from './html-text.ts';
import { getPublic } from './public-request.ts';

export interface FetchOptions {
  /** Private hosts that may be fetched, as written in a URL: `localhost:8080`. */
  readonly allowHosts?: readonly string[];
  /** The limit of bytes read from a page. Default: 1 MiB. */
  readonly maxBytes?: number;
  /** The time limit for a page, in milliseconds. Default: 30 seconds. */
  readonly timeoutMs?: number;
}

/** The schema of an option for `fetch`: a boolean or its settings. */
export const fetchOption = () => {
  const settings = z.strictObject({
    allowHosts: z.array(z.string()).optional(),
    maxBytes: number().optional(),
    timeoutMs: milliseconds().optional(),
  } satisfies OptionFields<FetchOptions>);
  return z.union([flag(), settings], { error: 'expected true, false or its settings' });
};

const input = z.object({ url: z.string().min(1).describe('the address, http:// or https://') });

const textual =
  /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml|javascript|x-javascript|ecmascript|yaml|x-yaml|toml)\b)/i;

/** Fetches a text from the public internet; an HTML page is returned as plain text. */
export function fetchTool(options: FetchOptions = {}): Tool {
  const { allowHosts = [], maxBytes = 1024 * 1024, timeoutMs = 30_000 } = options;
  return defineTool({
    name: 'fetch',
    description: 'Gets a text from the public internet. An HTML page is given as plain text.',
    category: 'network',
    timeoutMs,
    input,
    execute: async ({ url: address }, { signal }) => {
      const { url, response } = await getPublic(address, { signal, allowHosts });
      try {
        const { statusCode = 0, headers } = response;
        const type = headers['content-type'] ?? 'text/plain';
        if (!textual.test(type)) throw new Error(`${url.href} is ${type}: only text can be fetched.`);
        if ((headers['content-encoding'] ?? 'identity') !== 'identity')
          throw new Error(`${url.href} is compressed with ${headers['content-encoding']}, which was not requested.`);
        const { bytes, isWhole } = await readBody(response, maxBytes);
        const body = decoded(bytes, type);
        const text = /html/i.test(type) ? htmlText(body) : body;
        if (statusCode >= 400) throw new Error(`${url.href} answered ${statusCode}: ${text.slice(0, 500)}`);
        return {
          context: isWhole ? text : `${text}\n[The rest is omitted: only ${maxBytes} bytes are read.]`,
          result: { url: url.href, status: statusCode, contentType: type, bytes: bytes.length, isWhole },
        };
      } finally {
        response.destroy();
      }
    },
  });
}

async function readBody(response: IncomingMessage, max: number): Promise<{ bytes: Uint8Array; isWhole: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > max) return { bytes: Buffer.concat(chunks).subarray(0, max), isWhole: false };
  }
  return { bytes: Buffer.concat(chunks), isWhole: true };
}

function decoded(bytes: Uint8Array, contentType: string): string {
  const [, charset = 'utf-8'] = /charset="?([\w-]+)/i.exec(contentType) ?? [];
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes); // A charset that does not exist.
  }
}
