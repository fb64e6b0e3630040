import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { cliAdapters } from '../../agents/cli/adapters/index.ts';
import { toWrittenMessages } from '../../agents/cli/sessions/written-session.ts';
import { standardError, standardOutput } from '../../control/standard-output.ts';
import { type LoggedEvent, SingletreeError } from '../../events/index.ts';
import { createConversation, defaultActive, reduceConversation } from '../../graph/index.ts';
import type { Thread } from '../../log/index.ts';
import { projectMessages } from '../../projections/index.ts';
import { writeNew } from './write-new.ts';

/** Writes the active branch of a thread as a session that an external agent continues, to a new file or folder. */
export async function exportSession(
  agentId: string,
  { metadata }: Thread,
  events: AsyncIterable<LoggedEvent>,
  output: string | undefined,
): Promise<void> {
  const format = cliAdapters[agentId]?.session;
  if (format === undefined) throw new SingletreeError('invalid_argument', `No session of "${agentId}" can be written.`);
  let conversation = createConversation();
  for await (const event of events) conversation = reduceConversation(conversation, event);
  const messages = toWrittenMessages(projectMessages(conversation, defaultActive(conversation)));
  const { cwd } = metadata;
  const place = { cwd: typeof cwd === 'string' ? cwd : process.cwd(), time: Date.now() };
  const written = format.write({ messages, ...place, findFolder: () => resolve(output ?? '.') });
  const [main, ...others] = written.files;
  if (main === undefined) return;
  if (output === undefined) {
    if (others.length > 0)
      throw new SingletreeError(
        'invalid_argument',
        `A session of ${agentId} has several files. Name a folder: -o FOLDER`,
      );
    await standardOutput.write(main.text);
    return;
  }
  if (others.length > 0) await mkdir(output, { recursive: true, mode: 0o700 });
  const path = others.length > 0 ? join(output, main.name) : output;
  await writeNew(path, [main.text]);
  for (const { name, text } of others) await writeNew(join(dirname(path), name), [text]);
  await standardError.write(`Continue it: ${written.continueFrom(resolve(path))}\n`);
}
