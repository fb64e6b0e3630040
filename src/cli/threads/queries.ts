import { counted } from '../../projections/presentation/wording.ts';
import { printJson, printList } from '../print.ts';
import { printNotice, standardError, standardOutput } from '../../control/standard-output.ts';
import { defined } from '../../base/defined.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { plainText } from '../../base/terminal-text.ts';
import { addUsage, noUsage, type UsageCounts } from '../../events/usage-sum.ts';
import { allThreads } from '../../log/all-threads.ts';
import type { EventLog } from '../../log/event-log.ts';
import { readEvents } from '../../log/read-events.ts';
import type { UsageGroup } from '../../log/derived/usage-totals.ts';
import { inheritedSeq } from '../../log/own-events.ts';
import { costText } from '../../terminal/rows/part-rows.ts';
import { ProgressLine } from '../run/progress-line.ts';
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
  readonly by: readonly (UsageGroup | 'thread')[];
}

/** `singletree usage`: tokens and cost by day, agent, model and resource, or by thread. */
export function usageCommand({ from, to, by, imported, ...options }: UsageOptions): Promise<void> {
  return withLog(options, async log => {
    if (by.includes('thread')) return usageByThread(log, { from, to, imported, isJson: options.json === true });
    const groups = by as readonly UsageGroup[];
    await indexLog(log, line => void standardError.write(line));
    const totals = await (log.usage?.({ by: groups, ...defined({ from, to, imported }) }) ?? unavailable());
    await printList(options, totals, {
      toRow: ({ day, agentId, modelId, resourceId, ...usage }) => [
        ...groups.map(group => ({ day, agent: agentId, model: modelId, resource: resourceId })[group] || '–'),
        ...usageCells(usage),
      ],
      empty: noUsageYet,
    });
  });
}

const noUsageYet = 'No usage yet.';

interface Period {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly imported: boolean | undefined;
  readonly isJson: boolean;
}

/** Reads every thread; events that a branch shares with its origin count there, and imported ones only among themselves. */
async function usageByThread(log: EventLog, { from = '', to = '\uffff', imported, isJson }: Period): Promise<void> {
  if ([from, to === '\uffff' ? '' : to].some(day => day !== '' && !/^\d{4}-\d\d-\d\d$/.test(day)))
    throw new SingletreeError('invalid_argument', 'Expected days such as "2026-01-31" for --from and --to.');
  const progress = new ProgressLine(standardError);
  const found: (CountedUsage & { readonly threadId: string; readonly title: string })[] = [];
  let read = 0;
  for await (const thread of allThreads(log)) {
    const { id, title = 'Untitled' } = thread;
    progress.show(`read ${++read} threads`);
    let [usage, modelCalls] = [noUsage, 0];
    const first = imported === true ? (thread.branchedFrom?.seq ?? 0) : inheritedSeq(thread);
    const last = imported === true ? (thread.importedSeq ?? 0) : Number.POSITIVE_INFINITY;
    if (first >= last) continue;
    for await (const event of readEvents(log, id, first)) {
      if (event.seq > last) break;
      const day = event.ts.slice(0, 10);
      if (event.type !== 'usage' || day < from || day > to) continue;
      usage = addUsage(usage, event);
      modelCalls++;
    }
    if (modelCalls > 0) found.push({ threadId: id, title, modelCalls, ...usage });
  }
  progress.end();
  const ids = shortIds(found.map(({ threadId }) => threadId));
  await printList({ json: isJson }, found, {
    toRow: ({ threadId, title, ...usage }) => [ids.get(threadId) ?? threadId, ...usageCells(usage), title.slice(0, 80)],
    empty: noUsageYet,
  });
}

interface CountedUsage extends UsageCounts {
  readonly modelCalls: number;
}

function usageCells({ modelCalls, inputTokens, outputTokens, cost }: CountedUsage): string[] {
  return [`${modelCalls} calls`, `${inputTokens} in`, `${outputTokens} out`, cost === undefined ? '' : costText(cost)];
}

/** Indexes everything a log has not indexed yet, and reports how far it is when that takes more than a moment. */
export async function indexLog(log: EventLog, report: (line: string) => void): Promise<void> {
  if (log.indexSome === undefined) return;
  let reported: number | undefined;
  for (let rest = await log.indexSome(); rest.hasMore; rest = await log.indexSome()) {
    if (rest.threads !== reported) report(`singletree: indexing messages: ${counted(rest.threads, 'thread')} left\n`);
    reported = rest.threads;
  }
}
