import * as z from 'zod';
import type { ScriptedFailure, ScriptedFinish, ScriptedUsage } from '../../agents/model/scripted/script.ts';
import type { Answer, AnswerBlock } from '../../agents/model/scripted/scripted-answer.ts';
import { failureMessage, streamErrorMessage } from '../../agents/model/scripted/scripted-failure.ts';
import type { SeenMessage } from '../../agents/model/scripted/scripted-request.ts';
import type { Wire, WireContext, WireFrame } from './wire.ts';
import { defined } from '../../base/defined.ts';

const call = z.looseObject({ id: z.string().optional(), name: z.string(), args: z.unknown() });
const result = z.looseObject({ id: z.string().optional(), name: z.string(), response: z.unknown() });

const part = z.looseObject({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  functionCall: call.optional(),
  functionResponse: result.optional(),
});

const content = z.looseObject({ role: z.enum(['user', 'model', 'function']).optional(), parts: z.array(part) });

/** The model and the method are in the path of a request, and are added to its body. */
const generateRequest = z.looseObject({
  model: z.string(),
  stream: z.boolean(),
  contents: z.array(content),
  systemInstruction: z.union([z.string(), content]).optional(),
  tools: z
    .array(z.looseObject({ functionDeclarations: z.array(z.looseObject({ name: z.string() })).optional() }))
    .optional(),
});

type Part = z.infer<typeof part>;
type Content = z.infer<typeof content>;

/** Google Gemini: `generateContent` and `streamGenerateContent`. A call is sent whole, never in fragments. */
export const googleGenerate: Wire = {
  api: 'google',
  parse(body) {
    const { model, stream, contents, systemInstruction, tools = [] } = generateRequest.parse(body);
    const system = typeof systemInstruction === 'string' ? systemInstruction : toText(systemInstruction?.parts ?? []);
    return {
      model,
      stream,
      messages: [
        ...(system === '' ? [] : [{ role: 'system' as const, text: system }]),
        ...contents.flatMap(toMessages),
      ],
      toolNames: tools.flatMap(tool => (tool.functionDeclarations ?? []).map(({ name }) => name)),
    };
  },
  frames(answer, context) {
    const frames = answer.blocks.flatMap(block => blockFrames(block, context));
    if (answer.cut) return frames;
    if (answer.finishReason === 'error')
      return [...frames, { data: googleError({ httpStatus: 500, message: streamErrorMessage }) }];
    return [...frames, { data: response(context, [], { answer }) }];
  },
  body: (answer, context) => response(context, answer.blocks.map(wholePart), { answer }),
  error: googleError,
};

/** Returns the model and the method that the path of a request names; undefined for any other path. */
export function googlePath(path: string): { readonly model: string; readonly method: string } | undefined {
  const [, model, method] = /^\/(?:v1beta|v1)\/models\/([^/:]+):(\w+)$/.exec(path) ?? [];
  return model === undefined || method === undefined ? undefined : { model, method };
}

const finishReasons: Record<ScriptedFinish, string> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  'content-filter': 'SAFETY',
  'tool-calls': 'STOP',
  error: 'OTHER',
};

const statuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

function googleError(failure: ScriptedFailure) {
  const status = failure.code ?? statuses[failure.httpStatus] ?? 'INTERNAL';
  return { error: { code: failure.httpStatus, message: failureMessage(failure), status } };
}

/** Splits a message of the API, which can combine tool results with user text; each result becomes a message. */
function toMessages({ role, parts }: Content): SeenMessage[] {
  const results = parts.flatMap(({ functionResponse: given }) =>
    given === undefined ? [] : [{ id: given.id ?? given.name, text: JSON.stringify(given.response ?? null) }],
  );
  const calls = parts.flatMap(({ functionCall: made }) =>
    made === undefined ? [] : [{ id: made.id ?? made.name, name: made.name, input: made.args ?? {} }],
  );
  const content = parts.filter(({ functionResponse }) => functionResponse === undefined);
  return [
    ...(results.length === 0 ? [] : [{ role: 'tool' as const, text: '', toolResults: results }]),
    ...(content.length === 0
      ? []
      : [
          {
            role: role === 'model' ? ('assistant' as const) : ('user' as const),
            text: toText(content),
            ...(calls.length > 0 && { toolCalls: calls }),
          },
        ]),
  ];
}

function toText(parts: readonly Part[]): string {
  return parts.map(({ text, thought }) => (thought === true ? '' : (text ?? ''))).join('');
}

function blockFrames(block: AnswerBlock, context: WireContext): WireFrame[] {
  const parts = block.kind === 'tool' ? [wholePart(block)] : block.fragments.map(text => prosePart(block.kind, text));
  return parts.map(made => ({ data: response(context, [made]), token: true }));
}

function wholePart(block: AnswerBlock) {
  if (block.kind !== 'tool') return prosePart(block.kind, block.text);
  return { functionCall: { id: block.id, name: block.name, args: block.input } };
}

function prosePart(kind: 'text' | 'reasoning', text: string) {
  return kind === 'reasoning' ? { text, thought: true } : { text };
}

function response({ request, number }: WireContext, parts: readonly unknown[], end: { readonly answer?: Answer } = {}) {
  const finish = end.answer && { finishReason: finishReasons[end.answer.finishReason] };
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...finish }],
    ...(end.answer && toUsage(end.answer.usage)),
    modelVersion: request.model,
    responseId: `response_${number}`,
  };
}

function toUsage({ inputTokens, outputTokens, cacheReadTokens, reasoningTokens }: ScriptedUsage) {
  if (inputTokens === undefined && outputTokens === undefined) return {};
  const thoughts = reasoningTokens ?? 0;
  return {
    usageMetadata: {
      promptTokenCount: inputTokens ?? 0,
      candidatesTokenCount: (outputTokens ?? 0) - thoughts,
      totalTokenCount: (inputTokens ?? 0) + (outputTokens ?? 0),
      ...defined({ cachedContentTokenCount: cacheReadTokens }),
      ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
    },
  };
}
