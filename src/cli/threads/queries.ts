import { SingletreeError } from '../../events/index.ts';
import { createConversation, defaultActive, reduceConversation } from '../../graph/index.ts';
import { readEvents } from '../../log/index.ts';
import { type Message, projectMessages } from '../../projections/index.ts';
import { writeOut } from '../output.ts';
import { plainText, printableText } from '../../terminal/screen/terminal-text.ts';
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

/** `singletree debug prompt`: the messages that a model would be sent of a thread. */
export function promptCommand(text: string, options: ThreadCommandOptions): Promise<void> {
  return withLog(options, async log => {
    const { id } = await findThread(log, text);
    let conversation = createConversation();
    for await (const event of readEvents(log, id)) conversation = reduceConversation(conversation, event);
    for (const message of projectMessages(conversation, defaultActive(conversation)))
      await (options.json === true ? printJson(message) : writeOut(messageText(message)));
  });
}

/** A message for people: its role, then its texts, calls and results. */
function messageText({ role, content }: Message): string {
  const parts = typeof content === 'string' ? [content] : content.map(part => partText(part));
  return `── ${role} ──\n${parts.map(printableText).join('\n')}\n\n`;
}

function partText(part: Exclude<Message['content'], string>[number]): string {
  const { type, ...fields } = part;
  return type === 'text' || type === 'reasoning' ? part.text : `${type} ${JSON.stringify(fields)}`;
}

/** Throws for a store that cannot answer. */
export function unavailable(): never {
  throw new SingletreeError('not_supported', 'The store of this log does not offer this.');
}
