import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach } from 'vitest';

/** A server of tmux for one test, and how a chat runs in a window of it. */
export interface Tmux {
  run(...args: readonly string[]): string;
  /** Runs a line in a window without a status line, which takes a lone Escape at once. */
  readonly through: (line: readonly string[]) => readonly string[];
  readonly env: { readonly LC_ALL: string };
}

/** Returns a tmux with a server of its own in each test, which is ended after it. */
export function useTmux(): Tmux {
  let socket = '';
  const run = (...args: readonly string[]) => execFileSync('tmux', ['-L', socket, ...args], { encoding: 'utf8' });
  beforeEach(() => {
    socket = `singletree-${randomUUID()}`;
  });
  afterEach(() => {
    run('kill-server');
  });
  return {
    run,
    through: line => [
      ...`tmux -L ${socket} -f /dev/null set -gs escape-time 0 ; set -g status off ; new-session`.split(' '),
      line.map(word => `'${word}'`).join(' '),
    ],
    env: { LC_ALL: 'C.UTF-8' },
  };
}
