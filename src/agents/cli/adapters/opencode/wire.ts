import type { EventOf } from '../../../../events/vocabulary.ts';
import type { ToolOutput } from '../../../../events/tools.ts';
import { readableError } from '../../shared/readable-error.ts';
import { boundedPatch } from '../../shared/reported-patch.ts';
import { toCount, toList, toNumber, toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import { defined } from '../../../../base/defined.ts';

type Usage = Omit<EventOf<'usage'>, 'type' | 'runId'>;

/**
 * Returns the usage of a finished step's model call; undefined when it was not counted. Input excludes cached tokens.
 * Output excludes reasoning, except in versions whose total shows otherwise or that report no total.
 */
export function readUsage(part: WireRecord): Usage | undefined {
  const tokens = toRecord(part['tokens']);
  const cache = toRecord(tokens?.['cache']);
  const uncached = toCount(tokens?.['input']);
  const output = toCount(tokens?.['output']);
  if (uncached === undefined || output === undefined) return undefined;
  const cacheReadTokens = toCount(cache?.['read']);
  const cacheWriteTokens = toCount(cache?.['write']);
  const reasoningTokens = toCount(tokens?.['reasoning']);
  const inputTokens = uncached + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
  const total = toCount(tokens?.['total']) ?? inputTokens + output;
  const outputTokens = total === inputTokens + output ? output : output + (reasoningTokens ?? 0);
  if (inputTokens + outputTokens === 0) return undefined;
  return {
    inputTokens,
    outputTokens,
    ...defined({
      cacheReadTokens,
      cacheWriteTokens,
      reasoningTokens,
      cost: toCount(part['cost']),
      finishReason: toText(part['reason']),
      callId: toText(part['messageID']),
    }),
  };
}

/** Returns the message of an `error`: a text, or an object that has its text in one of these fields. */
export function readError(value: unknown): { message: string; code?: string } | undefined {
  const error = toRecord(value);
  const code = toText(error?.['name']);
  const message = toText(value) ?? toText(toRecord(error?.['data'])?.['message']) ?? toText(error?.['message']) ?? code;
  return message === undefined ? undefined : { message: readableError(message), ...defined({ code }) };
}

const refused = /^The user (rejected permission|has specified a rule which prevents)/;

/**
 * Returns the output of a tool; undefined while it is running. `completed` only means that the tool itself did not
 * fail.
 */
export function readToolOutput(name: string, state: WireRecord): ToolOutput | undefined {
  const { status, output: context = '' } = state;
  const metadata = toRecord(state['metadata']) ?? {};
  const text = typeof context === 'string' ? context : JSON.stringify(context);
  if (status === 'error') {
    const error = readError(state['error'])?.message ?? (text || 'The tool failed.');
    const sessionId = readSubagent(state)?.sessionId;
    // A subagent that was refused something did run: the refusal does not concern its call.
    return sessionId === undefined && refused.test(error)
      ? { status: 'denied', reason: error }
      : defined({ error, sessionId });
  }
  if (status !== 'completed') return undefined;
  if (name === 'invalid') return { error: toText(toRecord(state['input'])?.['error']) ?? text };
  if (metadata['exit'] === null) return { error: text || 'The command did not end.' };
  const result = readResult(metadata, state);
  return Object.keys(result).length === 0 ? { context } : { context, result };
}

/** Returns the structured part of a tool's output. */
function readResult(metadata: WireRecord, state: WireRecord): object {
  const folder = toText(metadata['dir']);
  const files = toList(metadata['files']).flatMap(value => {
    const file = toRecord(value);
    return [file?.['filePath'], file?.['movePath']].filter(path => toText(path) !== undefined);
  });
  return defined({
    exitCode: toNumber(metadata['exit']),
    isDirectory: toRecord(metadata['display'])?.['type'] === 'directory' || undefined,
    path: folder === undefined ? undefined : `${folder}/SKILL.md`,
    files: files.length === 0 ? undefined : files,
    patch: boundedPatch(metadata['diff']),
    sessionId: readSubagent(state)?.sessionId,
  });
}

interface Subagent {
  readonly sessionId: string;
  readonly agentId: string | undefined;
  readonly model: string | undefined;
  readonly isStopped: boolean;
  /** The call did not wait for it. */
  readonly isBackground: boolean;
}

/** Returns the subagent of a call; undefined when it names no session. */
export function readSubagent(state: WireRecord): Subagent | undefined {
  const metadata = toRecord(state['metadata']);
  const sessionId = toText(metadata?.['sessionId']) ?? toText(metadata?.['sessionID']);
  if (sessionId === undefined) return undefined;
  const model = toRecord(metadata?.['model']);
  const [provider, name] = [toText(model?.['providerID']), toText(model?.['modelID'])];
  const action = toText(metadata?.['action']);
  return {
    sessionId,
    agentId: toText(toRecord(state['input'])?.['subagent_type']),
    model: provider === undefined || name === undefined ? name : `${provider}/${name}`,
    isStopped: action === 'stop',
    isBackground: metadata?.['background'] === true || action !== undefined,
  };
}

/** Returns the answer of a subagent, without the wrapper that the program adds for the model. */
export function readAnswer(output: unknown): string | undefined {
  const text = toText(output);
  const [, answer] = /<task_result>\n?([^]*?)\n?<\/task_result>/.exec(text ?? '') ?? [];
  return toText(answer ?? text?.replace(/\s*<task_metadata>[^]*<\/task_metadata>\s*$/, ''));
}
