import { createHash } from 'node:crypto';
import type { LanguageModelV3CallOptions } from '@ai-sdk/provider';

const digests = new WeakMap<object, string>();

/** A hash of what a model is sent. Messages and tools that were sent before are not read again. */
export function requestHash({ prompt, tools = [], ...settings }: LanguageModelV3CallOptions): string {
  const parts = [...tools, ...prompt].map(digestOf);
  const hash = createHash('sha256').update(JSON.stringify(settings)).update(parts.join(''));
  return hash.digest('hex').slice(0, 16);
}

function digestOf(part: object): string {
  const known = digests.get(part);
  if (known !== undefined) return known;
  const digest = createHash('sha256').update(JSON.stringify(part)).digest('hex');
  digests.set(part, digest);
  return digest;
}
