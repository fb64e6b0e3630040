import { defined } from '../../events/defined.ts';
import { SingletreeError } from '../../events/index.ts';
import { addUsage, noUsage, type UsageCounts } from '../../events/usage-sum.ts';
import { allThreads, type EventLog, readEvents, type UsageGroup } from '../../log/index.ts';
import { inheritedSeq } from '../../log/own-events.ts';
import { ProgressLine } from '../run/progress-line.ts';
import { costText } from '../../terminal/rows/part-rows.ts';
import { tableLines } from '../table.ts';
import { shortIds } from './find-thread.ts';
import { indexLog } from './index-log.ts';
import { unavailable } from './queries.ts';
import { type ThreadCommandOptions, withLog } from './with-log.ts';
import { standardError, standardOutput } from '../../control/standard-output.ts';

export interface UsageOptions extends ThreadCommandOptions {
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
    if (options.json === true) {
      for (const total of totals) await standardOutput.writeJson(total);
      return;
    }
    const rows = totals.map(({ day, agentId, modelId, resourceId, modelCalls, ...usage }) => [
      ...groups.map(group => ({ day, agent: agentId, model: modelId, resource: resourceId })[group] || '–'),
      ...cells(modelCalls, usage),
    ]);
    return printRows(rows);
  });
}

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
  const found: { id: string; title: string; modelCalls: number; usage: UsageCounts }[] = [];
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
    if (modelCalls > 0) found.push({ id, title, modelCalls, usage });
  }
  progress.end();
  if (isJson) {
    for (const { id: threadId, title, modelCalls, usage } of found)
      await standardOutput.writeJson({ threadId, title, modelCalls, ...usage });
    return;
  }
  const ids = shortIds(found.map(({ id }) => id));
  await printRows(
    found.map(({ id, title, modelCalls, usage }) => [
      ids.get(id) ?? id,
      ...cells(modelCalls, usage),
      title.slice(0, 80),
    ]),
  );
}

function cells(modelCalls: number, { inputTokens, outputTokens, cost }: UsageCounts): string[] {
  return [`${modelCalls} calls`, `${inputTokens} in`, `${outputTokens} out`, cost === undefined ? '' : costText(cost)];
}

async function printRows(rows: readonly string[][]): Promise<void> {
  for (const line of tableLines(rows)) await standardOutput.write(`${line}\n`);
  if (rows.length === 0) await standardOutput.write('No usage yet.\n');
}
