import { actionCommand, type PageCommand } from '../composer/page-command.ts';
import type { Address } from './address.ts';

interface PageActions {
  readonly open: (address: Address) => void;
  readonly onHelp: () => void;
  readonly onSettings: () => void;
}

/** The commands that the page carries out wherever a message is written. */
export function pageCommands({ open, onHelp, onSettings }: PageActions): readonly PageCommand[] {
  return [
    actionCommand('new', 'start a new conversation', () => open({ section: 'start' })),
    actionCommand('inbox', 'answer what waits, in any conversation', () => open({ section: 'inbox' })),
    actionCommand('compare', 'ask several agents the same', () => open({ section: 'compare', threads: [] })),
    actionCommand('usage', 'show tokens and cost', () => open({ section: 'usage' })),
    actionCommand('settings', 'change the theme, keys and notifications', onSettings),
    actionCommand('help', 'show the keyboard shortcuts', onHelp),
  ];
}
