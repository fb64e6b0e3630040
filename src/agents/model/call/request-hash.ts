import { hash } from 'node:crypto';
import type { LanguageModelV3CallOptions, LanguageModelV3Message } from '@ai-sdk/provider';
import { PrefixCache } from '../../../projections/model-input/prefix-cache.ts';
import { withoutInstructions } from './prompt.ts';

/** The digest of each prefix of a prompt: of a message and the digest of all before it. */
const prompts = new PrefixCache<LanguageModelV3Message, string>((message, before = '') =>
  digest(before + JSON.stringify(message)),
);
const tools = new WeakMap<object, string>();

/** Returns a hash of a model request. Messages that were hashed before are not read again. */
export function requestHash({ prompt, tools: offered = [], ...settings }: LanguageModelV3CallOptions): string {
  // Each step puts the instructions anew before the same messages.
  const history = withoutInstructions(prompt);
  const before = prompt.slice(0, prompt.length - history.length);
  const parts = [JSON.stringify(settings), JSON.stringify(before), ...offered.map(digestTool), prompts.last(history)];
  return digest(parts.join('\n')).slice(0, 16);
}

/** Returns the digest of a tool; one that was digested before is not read again. */
export function digestTool(tool: object): string {
  const known = tools.get(tool) ?? digest(JSON.stringify(tool));
  tools.set(tool, known);
  return known;
}

export function digest(text: string): string {
  return hash('sha256', text);
}
