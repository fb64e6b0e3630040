import { defined } from '../../../../../base/defined.ts';
import type { ContentPart } from '../../../../../events/content.ts';
import { promptText } from '../../../shared/prompt-content.ts';
import { readCommands } from '../../../shared/reported-commands.ts';
import { toList, toRecord, toText } from '../../../shared/wire-value.ts';
import type { ServeResponse } from '../../../contract/serve-message.ts';
import { isDone } from './http-calls.ts';
import { type PromptSettings, promptBody } from './prompt-body.ts';

export type SlashCommands = ReturnType<typeof readCommands>;

/** A part of a template that the program executes as a shell line, without asking, before the model sees the prompt. */
const shellPart = /!`[^`]+`/;

/** Reads the commands of a server. Omits those that run shell lines, unless such lines may run without asking. */
export function readSlashCommands(response: ServeResponse, mayRunUnasked: boolean): SlashCommands {
  if (!isDone(response)) return [];
  const offered = toList(response.body).filter(
    command => mayRunUnasked || !shellPart.test(toText(toRecord(command)?.['template']) ?? ''),
  );
  return readCommands(offered);
}

/** Returns the body of a request that executes a command; undefined when the prompt does not begin with one of them. */
export function commandBody(
  content: string | readonly ContentPart[],
  commands: SlashCommands,
  { model, mode }: PromptSettings,
): object | undefined {
  const [, command, rest = ''] = /^\/(\S+)\s*(.*)$/s.exec(promptText(content)) ?? [];
  if (command === undefined || !commands.some(({ name }) => name === command)) return undefined;
  const files = typeof content === 'string' ? [] : content.filter(({ type }) => type !== 'text');
  return {
    command,
    arguments: rest,
    ...(files.length > 0 && promptBody(files, {})),
    ...defined({ model, agent: mode }),
  };
}
