import { expect } from 'vitest';
import { type AiSdkVersion, aiSdkEncoder } from '../../src/protocols/index.ts';
import { encodeAll } from '../../src/protocols/encoder.ts';
import { examples } from '../support/request-examples.ts';
import { readMessage, versions } from './ai-sdk-clients.ts';

export type Parts = readonly unknown[];

export const stepStart = { type: 'step-start' };

export const tokens = (promptTokens: number, completionTokens: number) => ({
  promptTokens,
  completionTokens,
  cacheReadInputTokens: 0,
  cacheCreationInputTokens: 0,
  totalTokens: promptTokens + completionTokens,
});

export const text = (said: string) => ({ type: 'text', text: said, state: 'done' });

export const tool = (toolCallId: string, toolName: string, rest: object) => ({
  type: 'dynamic-tool',
  toolCallId,
  toolName,
  ...rest,
});

export const approval = (data: { id: string } & Record<string, unknown>) => ({
  type: 'data-approval',
  id: data.id,
  data,
});

const metadata = { runId: 'run', agentName: 'main', threadId: 'th' };

/** What the real clients make of an example: the same parts in every version, or those of each; summaries left out. */
export async function expectMessage(
  name: keyof typeof examples,
  expected: Parts | Record<AiSdkVersion, Parts>,
  { usage, errors = [] }: { usage?: unknown; errors?: readonly string[] },
): Promise<void> {
  for (const version of versions) {
    const read = await readMessage(version, encodeAll(aiSdkEncoder({ version, threadId: 'th' }), examples[name]));
    const { parts, ...message } = read.message as { parts: readonly { type: string }[] };
    expect(read.errors).toEqual(errors);
    expect(message).toEqual({
      id: 'run',
      role: 'assistant',
      metadata: usage === undefined ? metadata : { ...metadata, usage },
    });
    expect(parts.filter(({ type }) => !type.endsWith('-summary'))).toEqual(
      Array.isArray(expected) ? expected : (expected as Record<AiSdkVersion, Parts>)[version],
    );
  }
}
