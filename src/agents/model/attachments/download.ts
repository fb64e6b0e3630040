import { getPublic } from '../../tools/web/public-request.ts';
import { baseType, isUnspecific } from './attachment-data.ts';

export interface DownloadOptions {
  readonly signal: AbortSignal;
  /** Hosts that may be private, as written in a URL: `localhost:8080`. */
  readonly allowHosts?: readonly string[];
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

/**
 * Downloads an attachment from the public internet. Rejects an address of this machine or its network, a response that
 * is not a success, and one of more than `maxBytes`, by default 20 MiB.
 */
export async function download(
  { url, mediaType }: { readonly url: URL; readonly mediaType: string },
  { signal, allowHosts = [], timeoutMs = 30_000, maxBytes = 20 * 1024 * 1024 }: DownloadOptions,
): Promise<{ base64: string; mediaType: string }> {
  const { response } = await getPublic(url.href, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    allowHosts,
  });
  try {
    const { statusCode = 0, headers } = response;
    if (statusCode < 200 || statusCode >= 300) throw new Error(`${url.host} answered ${statusCode}`);
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of response) {
      size += (chunk as Buffer).length;
      if (size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
      chunks.push(chunk as Buffer);
    }
    const stated = baseType(headers['content-type'] ?? '');
    const type = isUnspecific(mediaType) && stated !== '' ? stated : mediaType;
    return { base64: Buffer.concat(chunks).toString('base64'), mediaType: type };
  } finally {
    response.destroy();
  }
}
