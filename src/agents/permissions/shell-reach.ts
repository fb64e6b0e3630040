import { carriedBy } from './shell-carrier.ts';
import { readShellLine, type ShellLine } from './shell-line.ts';
import type { ShellWord } from './shell-word.ts';

/** Words from a place where a command may start. */
export interface PossibleCommand {
  readonly words: readonly ShellWord[];
  readonly start: number;
}

/** Everything a line could run, and the texts about which that is not certain. */
export interface Reach {
  readonly commands: readonly PossibleCommand[];
  readonly unsure: readonly string[];
}

const maxDepth = 6;
const maxScripts = 500;

/** Follows a line through `sudo`, `env`, `xargs`, `find -exec`, `bash -c '…'`, `eval` and shells that read their input. */
export function reachOf(line: ShellLine): Reach {
  const commands: PossibleCommand[] = [];
  const unsure = new Set<string>();
  const queue = [{ line, depth: 0 }];
  for (const { line, depth } of queue) {
    if (!line.sure) unsure.add(line.text);
    const everything = line.commands.some(command => carriedBy(command.words).readsInput);
    const scripts = everything ? [...line.inputs] : [];
    for (const { words } of line.commands) {
      const carried = carriedBy(words, everything);
      for (const start of carried.starts) commands.push({ words, start });
      if (carried.starts.some(start => words[start]?.open)) unsure.add(line.text);
      scripts.push(...carried.scripts);
    }
    for (const script of scripts) {
      if (depth < maxDepth && queue.length < maxScripts) queue.push({ line: readShellLine(script), depth: depth + 1 });
      else unsure.add(script);
    }
  }
  return { commands, unsure: [...unsure] };
}
