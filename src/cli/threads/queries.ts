import { SingletreeError } from '../../events/index.ts';
import { createConversation, defaultActive, reduceConversation } from '../../graph/index.ts';
import { readEvents, type UsageGroup } from '../../log/index.ts';
import { projectMessages } from '../../projections/index.ts';
import { writeOut } from '../output.ts';
import { tableLines } from '../table.ts';
import { plainText } from '../../terminal/screen/terminal-text.ts';
import { findThread, shortIds } from './find-thread.ts';
import { indexLog } from './index-log.ts';
import { printJson, type ThreadCommandOptions, withLog } from './with-log.ts';

/** `singletree search`: messages and titles that have all words. */
export function searchCommand(
  words: readonly string[],
  options: ThreadCommandOptions & { limit: number },
): Promise<void> {
  return withLog(options, async log => {
    await indexLog(log, line => process.stderr.write(line));
    const { hits, isComplete } = await (log.search?.({ text: words.join(' '), limit: options.limit }) ?? unavailable());
    if (!isComplete) process.stderr.write('singletree: a part of this log is not indexed: messages may be missing.\n');
    if (options.json === true) {
      for (const hit of hits) await printJson(hit);
      return;
    }
    const ids = shortIds([...new Set(hits.map(({ threadId }) => threadId))]);
    for (const { threadId, title = 'Untitled', seq, snippet } of hits)
      await writeOut(
        `${ids.get(threadId) ?? threadId}${seq === undefined ? '' : `:${seq}`}  ${plainText(title)}\n    ${plainText(snippet)}\n`,
      );
    if (hits.length === 0) await writeOut('Nothing found.\n');
  });
}

export interface UsageOptions extends ThreadCommandOptions {
  readonly from?: string;
  readonly to?: string;
  readonly by: readonly UsageGroup[];
}

/** `singletree usage`: tokens and cost by day, agent and model. */
export function usageCommand({ from, to, by, ...options }: UsageOptions): Promise<void> {
  return withLog(options, async log => {
    await indexLog(log, line => process.stderr.write(line));
    const totals = await (log.usage?.({ by, ...(from && { from }), ...(to && { to }) }) ?? unavailable());
    if (options.json === true) {
      for (const total of totals) await printJson(total);
      return;
    }
    const rows = totals.map(({ day, agentId, modelId, modelCalls, inputTokens, outputTokens, cost }) => [
      ...by.map(group => ({ day, agent: agentId, model: modelId })[group] || '–'),
      `${modelCalls} calls`,
      `${inputTokens} in`,
      `${outputTokens} out`,
      cost === undefined ? '' : `$${cost.toFixed(4)}`,
    ]);
    for (const line of tableLines(rows)) await writeOut(`${line}\n`);
    if (rows.length === 0) await writeOut('No usage yet.\n');
  });
}

/** `singletree debug prompt`: the messages that a model would be sent of a thread. */
export function promptCommand(text: string, options: ThreadCommandOptions): Promise<void> {
  return withLog(options, async log => {
    const { id } = await findThread(log, text);
    let conversation = createConversation();
    for await (const event of readEvents(log, id)) conversation = reduceConversation(conversation, event);
    for (const message of projectMessages(conversation, defaultActive(conversation))) await printJson(message);
  });
}

function unavailable(): never {
  throw new SingletreeError('not_supported', 'The store of this log does not offer this.');
}
