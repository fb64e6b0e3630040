import type { PageCommand } from '../composer/page-command.ts';
import type { Address } from './address.ts';

interface PageActions {
  readonly open: (address: Address) => void;
  readonly onHelp: () => void;
  readonly onSettings: () => void;
}

/** The commands that the page carries out wherever a message is written. */
export function pageCommands({ open, onHelp, onSettings }: PageActions): readonly PageCommand[] {
  const command = (name: string, does: string, act: () => void): PageCommand => ({
    name,
    does,
    run: () => void act(),
  });
  return [
    command('new', 'start a new conversation', () => open({ section: 'start' })),
    command('inbox', 'answer what waits, in any conversation', () => open({ section: 'inbox' })),
    command('compare', 'ask several agents the same', () => open({ section: 'compare', threads: [] })),
    command('usage', 'show tokens and cost', () => open({ section: 'usage' })),
    command('settings', 'change the theme, keys and notifications', onSettings),
    command('help', 'show the keyboard shortcuts', onHelp),
  ];
}
