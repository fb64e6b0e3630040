import { SingletreeError } from '../../events/index.ts';
import { plainText } from '../../events/terminal-text.ts';
import { shortIds } from './find-thread.ts';
import { indexLog } from './index-log.ts';
import { type ThreadCommandOptions, withLog } from './with-log.ts';
import { printNotice, standardError, standardOutput } from '../../control/standard-output.ts';

/** `singletree search`: messages and titles that have all words. */
export function searchCommand(
  words: readonly string[],
  options: ThreadCommandOptions & { limit: number },
): Promise<void> {
  return withLog(options, async log => {
    await indexLog(log, line => void standardError.write(line));
    const { hits, isComplete } = await (log.search?.({ text: words.join(' '), limit: options.limit }) ?? unavailable());
    if (!isComplete) printNotice('a part of this log is not indexed: messages may be missing.');
    if (options.json === true) {
      for (const hit of hits) await standardOutput.writeJson(hit);
      return;
    }
    const ids = shortIds([...new Set(hits.map(({ threadId }) => threadId))]);
    for (const { threadId, title = 'Untitled', seq, snippet } of hits)
      await standardOutput.write(
        `${ids.get(threadId) ?? threadId}${seq === undefined ? '' : `:${seq}`}  ${plainText(title)}\n    ${plainText(snippet)}\n`,
      );
    if (hits.length === 0) await standardOutput.write('Nothing found.\n');
  });
}

/** Throws for a store that cannot answer. */
export function unavailable(): never {
  throw new SingletreeError('not_supported', 'The store of this log does not offer this.');
}
