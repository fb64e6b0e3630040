import type { AgentInfo } from '../../../src/protocols/http-agents.ts';
import type { ThreadInfo } from '../../../src/protocols/http-api.ts';
import type { Address } from '../app/address.ts';
import type { Preferences } from '../app/preferences.ts';
import type { Found } from '../threads/use-search.ts';
import { getTitle } from '../threads/use-threads.ts';

/** Something that the palette offers. */
export interface PaletteChoice {
  readonly key: string;
  readonly kind: 'Command' | 'Conversation' | 'Message' | 'Agent';
  readonly name: string;
  readonly detail?: string;
  readonly run: () => void;
}

export interface PaletteSource {
  readonly typed: string;
  /** The threads that are loaded. */
  readonly threads: readonly ThreadInfo[];
  /** The search results of the server. */
  readonly found: Found | undefined;
  readonly agents: readonly AgentInfo[];
  readonly open: (address: Address) => void;
  readonly onHelp: () => void;
  readonly onSettings: () => void;
  readonly setTheme: (theme: Preferences['theme']) => void;
}

/** How many conversations are offered: a longer list is searched, not read. */
const mostThreads = 20;

/** Returns the choices whose name contains all typed words; for an empty text, commands and the newest threads. */
export function choicesFor(source: PaletteSource): PaletteChoice[] {
  const { typed, threads, found, agents, open } = source;
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = ({ name }: PaletteChoice) => words.every(word => name.toLowerCase().includes(word));
  const known = new Map([...(found?.threads ?? []), ...threads].map(thread => [thread.id, thread]));
  const conversations = [...known.values()].map<PaletteChoice>(thread => ({
    key: `thread ${thread.id}`,
    kind: 'Conversation',
    name: getTitle(thread),
    run: () => open({ section: 'thread', threadId: thread.id }),
  }));
  const messages = (found?.hits ?? []).map<PaletteChoice>(({ threadId, messageId, seq, title, snippet }) => ({
    key: `message ${threadId} ${messageId} ${seq}`,
    kind: 'Message',
    name: snippet,
    detail: getTitle({ title }),
    run: () => open({ section: 'thread', threadId, ...(seq !== undefined && { at: seq }), find: typed }),
  }));
  return [
    ...listCommands(source).filter(matches),
    ...conversations.filter(matches).slice(0, words.length === 0 ? 8 : mostThreads),
    ...agents
      .map<PaletteChoice>(({ id, name, description }) => ({
        key: `agent ${id}`,
        kind: 'Agent',
        name: `New conversation with ${name}`,
        ...(description !== undefined && { detail: description }),
        run: () => open({ section: 'start', agent: id }),
      }))
      .filter(matches),
    ...messages,
  ];
}

function listCommands({ open, onHelp, onSettings, setTheme }: PaletteSource): PaletteChoice[] {
  const commands: [string, () => void][] = [
    ['New conversation', () => open({ section: 'start' })],
    ['Inbox', () => open({ section: 'inbox' })],
    ['What was decided', () => open({ section: 'inbox', view: 'history' })],
    ['Compare agents', () => open({ section: 'compare', threads: [] })],
    ['Usage and cost', () => open({ section: 'usage' })],
    ['Bring your history', () => open({ section: 'sessions' })],
    ['Models and keys', () => open({ section: 'models' })],
    ['Rules and grants', () => open({ section: 'rules' })],
    ['Settings', onSettings],
    ['Keyboard shortcuts', onHelp],
    ['Light theme', () => setTheme('light')],
    ['Dark theme', () => setTheme('dark')],
    ['Theme of the system', () => setTheme('system')],
  ];
  return commands.map(([name, run]) => ({ key: `command ${name}`, kind: 'Command', name, run }));
}
