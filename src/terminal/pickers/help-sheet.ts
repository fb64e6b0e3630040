import { slashCommands } from '../completion/commands.ts';
import { actionDefinition, actionNames, type KeyContext } from '../keys/actions.ts';
import { type KeyMap, keysOf } from '../keys/key-map.ts';
import type { PickerEntry } from './list-picker.ts';

const groups: Readonly<Record<KeyContext, string>> = {
  chat: 'keys',
  relay: 'keys of a question',
  list: 'keys of a list',
  viewer: 'keys of the transcript',
};

/** Returns every action with its keys, and every command, as entries of the help. */
export function helpEntries(map: KeyMap): readonly PickerEntry[] {
  const keys = actionNames.map(name => {
    const { in: context, does } = actionDefinition(name);
    const shown = keysOf(map, name) ?? 'no key';
    return { id: name, label: `${shown.padEnd(24)} ${does}`, keywords: name, detail: name, group: groups[context] };
  });
  const commands = slashCommands.map(command => ({
    id: `/${command.name}`,
    label: `${`/${command.name} ${'argument' in command ? command.argument : ''}`.padEnd(24)} ${command.does}`,
    group: 'commands',
  }));
  const prefixes = [
    ['@', 'a file of the folder'],
    ['!', 'run a shell line; the model reads its output'],
    ['!!', 'run a shell line that the model does not read'],
    ['\\ and Enter', 'start a new line in every terminal'],
  ].map(([text = '', does = '']) => ({ id: text, label: `${text.padEnd(24)} ${does}`, group: 'in a message' }));
  return [...prefixes, ...commands, ...keys];
}
