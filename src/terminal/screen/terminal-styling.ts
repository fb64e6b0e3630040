import type { Styling } from './styled-line.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns how a terminal may be styled, from the environment: colours unless they are unwanted, links where they are known to work. */
export function createStyling(env: Environment): Styling {
  const inks = env['TERM'] === 'dumb' ? 'none' : isSet(env['NO_COLOR']) ? 'plain' : 'colour';
  return { inks, hasLinks: inks !== 'none' && hasLinks(env) };
}

/** Returns how a command styles what it prints at a terminal, and whether it redraws what is open. */
export function screenStyle(env: Environment): { readonly styling: Styling; readonly isLive: boolean } {
  const styling = createStyling(env);
  return { styling, isLive: styling.inks !== 'none' && !isSet(env['ACCESSIBLE']) };
}

const programs: ReadonlySet<string> = new Set([
  'iTerm.app',
  'WezTerm',
  'vscode',
  'ghostty',
  'Hyper',
  'Tabby',
  'rio',
  'zed',
]);
const terminals = /^(?:xterm-kitty|xterm-ghostty|alacritty|foot|contour|wezterm)/;
/** The first version of the library of GNOME terminals that shows links. */
const firstVte = 5_000;

function hasLinks(env: Environment): boolean {
  const forced = env['FORCE_HYPERLINK'];
  if (forced !== undefined && forced !== '') return forced !== '0';
  // A multiplexer shows links only when it and its terminal both can.
  if (isSet(env['TMUX']) || isSet(env['STY']) || /^(?:screen|tmux)/.test(env['TERM'] ?? '')) return false;
  return (
    programs.has(env['TERM_PROGRAM'] ?? '') ||
    terminals.test(env['TERM'] ?? '') ||
    Number(env['VTE_VERSION'] ?? 0) >= firstVte ||
    ['KITTY_WINDOW_ID', 'WT_SESSION', 'KONSOLE_VERSION', 'DOMTERM'].some(name => isSet(env[name]))
  );
}

/** Whether a variable switches something on. */
export function isSet(variable: string | undefined): boolean {
  return variable !== undefined && variable !== '' && variable !== '0';
}
