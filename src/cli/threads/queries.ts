import { printJson, printTable } from '../print.ts';
import { printNotice, standardError, standardOutput } from '../../control/standard-output.ts';
import { defined } from '../../base/defined.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { plainText } from '../../base/terminal-text.ts';
import { allThreads } from '../../log/all-threads.ts';
import type { EventLog } from '../../log/event-log.ts';
import { readUsage } from '../../log/derived/log-queries.ts';
import type { GroupedUsage, UsageGroup } from '../../log/derived/usage-totals.ts';
import { counted, durationText } from '../../projections/presentation/wording.ts';
import { costText } from '../../terminal/rows/part-rows.ts';
import { shortIds } from './find-thread.ts';
import { type ThreadCommandOptions, withLog } from '../settings/site.ts';

/** `singletree search`: messages and titles that have all words. */
export function searchCommand(
  words: readonly string[],
  options: ThreadCommandOptions & { limit: number },
): Promise<void> {
  return withLog(options, async log => {
    await indexLog(log, line => void standardError.write(line));
    const { hits, isComplete } = await (log.search?.({ text: words.join(' '), limit: options.limit }) ?? unavailable());
    if (!isComplete) printNotice('a part of this log is not indexed: messages may be missing.');
    if (options.json === true) return printJson(hits);
    const ids = shortIds([...new Set(hits.map(({ threadId }) => threadId))]);
    for (const { threadId, title = 'Untitled', seq, snippet } of hits)
      await standardOutput.write(
        `${ids.get(threadId) ?? threadId}${seq === undefined ? '' : `:${seq}`}  ${plainText(title)}\n    ${plainText(snippet)}\n`,
      );
    if (hits.length === 0) await standardOutput.write('Nothing found.\n');
  });
}

/** Throws for a store that cannot answer. */
function unavailable(): never {
  throw new SingletreeError('not_supported', 'The store of this log does not offer this.');
}

interface UsageOptions extends ThreadCommandOptions {
  readonly from?: string;
  readonly to?: string;
  readonly imported?: boolean;
  readonly by: readonly UsageGroup[];
}

/** `singletree usage`: tokens and cost by day, agent, model, resource and thread, or the calls of tools. */
export function usageCommand({ from, to, by, imported, ...options }: UsageOptions): Promise<void> {
  return withLog(options, async log => {
    await indexLog(log, line => void standardError.write(line));
    const totals = await readUsage(log, { by, ...defined({ from, to, imported }) });
    const titles = by.includes('thread') ? await readTitles(log) : new Map<string, string>();
    if (options.json === true)
      return printJson(
        totals.map(total => ({ ...total, ...(by.includes('thread') && { title: titles.get(total.threadId ?? '') }) })),
      );
    const ids = shortIds(totals.flatMap(({ threadId }) => threadId || []));
    const rows = totals.map(({ day, agentId, modelId, resourceId, threadId = '', tool, ...used }) => {
      const thread = ids.get(threadId) ?? threadId;
      const names = { day, agent: agentId, model: modelId, resource: resourceId, thread, tool };
      const title = titles.get(threadId);
      return [
        ...by.map(group => names[group] || '–'),
        ...(used.toolCalls === undefined ? modelCells(used) : toolCells(used)),
        ...(title === undefined ? [] : [title.slice(0, 80)]),
      ];
    });
    return printRows(rows);
  });
}

/** The titles of all threads by id. */
async function readTitles(log: EventLog): Promise<Map<string, string>> {
  const titles = new Map<string, string>();
  for await (const { id, title = 'Untitled' } of allThreads(log)) titles.set(id, title);
  return titles;
}

function modelCells({ modelCalls, inputTokens, outputTokens, cost }: GroupedUsage): string[] {
  return [
    counted(modelCalls, 'call'),
    `${inputTokens} in`,
    `${outputTokens} out`,
    cost === undefined ? '' : costText(cost),
  ];
}

function toolCells({ toolCalls = 0, failedCalls = 0, toolMs = 0 }: GroupedUsage): string[] {
  return [counted(toolCalls, 'call'), `${failedCalls} failed`, durationText(toolMs)];
}

async function printRows(rows: readonly string[][]): Promise<void> {
  await printTable(rows);
  if (rows.length === 0) await standardOutput.write('No usage yet.\n');
}

/** Indexes all unindexed events of a log, and reports progress when that takes longer. */
export async function indexLog(log: EventLog, report: (line: string) => void): Promise<void> {
  if (log.indexSome === undefined) return;
  let reported: number | undefined;
  for (let rest = await log.indexSome(); rest.hasMore; rest = await log.indexSome()) {
    if (rest.threads !== reported) report(`singletree: indexing messages: ${counted(rest.threads, 'thread')} left\n`);
    reported = rest.threads;
  }
}
