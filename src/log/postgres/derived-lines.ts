import { usageNames } from '../../events/usage-sum.ts';
import { firstOrderAt } from '../derived/searched-text.ts';
import type { Derived } from '../derived/thread-derivation.ts';
import { toStoredCalls } from '../derived/usage-totals.ts';
import { splitWords } from '../derived/words.ts';
import { toReadableJson } from './readable-json.ts';

/** Returns derived data as the arguments of the SQL function that stores it. */
export function derivedLines({ outlines, texts, used }: Derived, isImported: boolean): string[] {
  const calls = toStoredCalls(used, isImported);
  return [
    JSON.stringify(outlines.map(outline => [outline.seq, JSON.stringify(outline)])),
    toReadableJson(
      texts.map(({ seq, lastSeq, messageId, time, text }) => [
        seq,
        lastSeq,
        messageId,
        splitWords(text),
        firstOrderAt(time),
      ]),
    ),
    JSON.stringify(
      calls.map(({ day, agentId, modelId, tool, counts: call, failedCalls, toolMs }) => [
        day,
        plain(agentId),
        plain(modelId),
        plain(tool),
        ...usageNames.map(name => call[name] ?? null),
        failedCalls,
        toolMs,
      ]),
    ),
  ];
}

/** The name without characters that the database does not store. */
function plain(name: string): string {
  return name.replaceAll(/\p{Cc}|\p{Cs}/gu, ' ');
}
