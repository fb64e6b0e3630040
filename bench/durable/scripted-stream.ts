import { countResults, doubling, listWords, type ModelWork } from './durable-contender.ts';

interface Usage {
  readonly inputTokens: { total: number; noCache: number; cacheRead: undefined; cacheWrite: undefined };
  readonly outputTokens: { total: number; text: number; reasoning: undefined };
}

type StreamPart =
  | { type: 'stream-start'; warnings: [] }
  | { type: 'text-start'; id: string }
  | { type: 'text-delta'; id: string; delta: string }
  | { type: 'text-end'; id: string }
  | { type: 'tool-call'; toolCallId: string; toolName: string; input: string }
  | { type: 'finish'; finishReason: { unified: 'stop' | 'tool-calls'; raw: string }; usage: Usage };

/** A model of the AI SDK (version 3 of its specification) that does the work of the comparison at once. */
export interface ScriptedStream {
  readonly specificationVersion: 'v3';
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: Record<string, never>;
  doGenerate(): Promise<never>;
  doStream(options: {
    readonly prompt: readonly { readonly role: string }[];
  }): Promise<{ stream: ReadableStream<StreamPart> }>;
}

/** Creates the model that our loop, the AI SDK and Mastra use. */
export function scriptStream({ calls, words, onModelCall }: ModelWork): ScriptedStream {
  return {
    specificationVersion: 'v3',
    provider: 'bench',
    modelId: 'bench',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('The scripted model only streams.')),
    doStream: async ({ prompt }) => {
      const results = countResults(prompt.map(({ role }) => role));
      onModelCall?.(results);
      return { stream: streamParts(results < calls ? [callPart(results)] : textParts(words), results < calls) };
    },
  };
}

function callPart(index: number): StreamPart {
  const toolCallId = `call_${index}_${Math.random().toString(36).slice(2)}`;
  return { type: 'tool-call', toolCallId, toolName: doubling.name, input: JSON.stringify({ value: index }) };
}

function textParts(words: number): StreamPart[] {
  const deltas = listWords(words).map((delta): StreamPart => ({ type: 'text-delta', id: 't', delta }));
  return [{ type: 'text-start', id: 't' }, ...deltas, { type: 'text-end', id: 't' }];
}

function streamParts(parts: readonly StreamPart[], isCall: boolean): ReadableStream<StreamPart> {
  const usage: Usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 1, text: 1, reasoning: undefined },
  };
  const finishReason = isCall
    ? { unified: 'tool-calls' as const, raw: 'tool_calls' }
    : { unified: 'stop' as const, raw: 'stop' };
  const all: StreamPart[] = [{ type: 'stream-start', warnings: [] }, ...parts, { type: 'finish', finishReason, usage }];
  let at = 0;
  return new ReadableStream<StreamPart>(
    {
      pull(controller) {
        const end = Math.min(all.length, at + 64);
        for (; at < end; at++) controller.enqueue(all[at] as StreamPart);
        if (at === all.length) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}
