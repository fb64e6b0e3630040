import { defined } from '../../../base/defined.ts';
import type { EventOf } from '../../../events/vocabulary.ts';
import { toList, toRecord, toText } from './wire-value.ts';

type ReportedCommands = NonNullable<EventOf<'session'>['commands']>;

const mostCommands = 200;
const mostDescription = 200;
/** Matches a command name that every user interface can read. */
const name = /^[\w:.-]{1,100}$/;

/** Reads the slash commands that a program reports: names, or objects with a name and a description. */
export function readCommands(value: unknown): ReportedCommands {
  const commands = toList(value).flatMap(each => {
    const record = typeof each === 'string' ? { name: each } : toRecord(each);
    const found = toText(record?.['name'])?.replace(/^\//, '') ?? '';
    const description = toText(record?.['description'])?.slice(0, mostDescription);
    return name.test(found) ? [{ name: found, ...defined({ description }) }] : [];
  });
  return commands.slice(0, mostCommands);
}
