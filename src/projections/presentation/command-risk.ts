import { readsScript } from '../shell/shell-carrier.ts';
import { readShellLine, type ShellLine } from '../shell/shell-line.ts';
import { baseName, isCommandName, isFinderName, isShellName, kindOfProgram } from '../shell/shell-programs.ts';
import type { ShellWord } from '../shell/shell-word.ts';
import { isOutsideFolder } from './outside-folder.ts';
import { riskyPrograms } from './risky-programs.ts';

type Words = readonly ShellWord[];

const maxDepth = 5;

/**
 * Returns what a command line does that cannot be undone, in the order in which its commands say so: by the programs that
 * it runs and the files that it writes, not by its characters. Never throws.
 */
export function findCommandRisks(line: string, cwd?: string): readonly string[] {
  const reader = new RiskReader(cwd);
  reader.read(line, 0);
  return [...reader.reasons];
}

class RiskReader {
  readonly reasons = new Set<string>();
  readonly #cwd: string | undefined;

  constructor(cwd: string | undefined) {
    this.#cwd = cwd;
  }

  read(text: string, depth: number): void {
    if (depth > maxDepth) return;
    const line = readShellLine(text);
    for (const { words } of line.commands) this.#command(words, depth);
    for (const { value } of line.written) if (isOutsideFolder(value, this.#cwd)) this.reasons.add(`writes ${value}`);
    this.#fed(line, depth);
    if (!line.sure && this.reasons.size === 0 && doubtful.test(text))
      this.reasons.add('may delete something: the line cannot be read for certain');
  }

  #command(words: Words, depth: number): void {
    const [name, ...args] = words;
    if (name === undefined) return;
    const program = programName(name.value);
    const reason = riskyPrograms.get(program)?.({ args: args.map(({ value }) => value), cwd: this.#cwd });
    if (reason !== undefined) this.reasons.add(reason);
    if (program === 'eval') return this.read(args.map(({ value }) => value).join(' '), depth + 1);
    if (isShellName(name.value)) {
      const option = args.findIndex(({ value }) => /^-\w*c$/.test(value));
      const script = option < 0 ? undefined : args[option + 1];
      if (script !== undefined) this.read(script.value, depth + 1);
    } else this.#carried(program, words, depth);
  }

  /** Reads the command that a program runs which is its argument. */
  #carried(program: string, words: Words, depth: number): void {
    if (program === 'command' && words.some(({ value }) => /^-[vV]$/.test(value))) return;
    const first = firstCarried(program, words);
    if (first === undefined) return;
    const end = words.findIndex(({ value }, index) => index > first && /^[;+]$/.test(value));
    const given = /^(?:g?xargs|parallel)$/.test(program) ? [word('what it reads')] : [];
    const rest = [...words.slice(first, end < 0 ? undefined : end), ...given];
    const place = rest.findIndex(
      each => !given.includes(each) && (/\s/.test(each.value) || isNameOfProgram(each.value)),
    );
    const start = place >= 0 ? place : rest.findIndex(({ value }) => !value.startsWith('-'));
    const found = rest[start];
    if (found === undefined) return;
    if (/\s/.test(found.value)) this.read(found.value, depth + 1);
    else this.#command(rest.slice(start), depth);
  }

  /** Reads what a shell gets as its input, which is a script. */
  #fed({ commands, inputs }: ShellLine, depth: number): void {
    const isDownloaded = commands.some(({ words: [name] }) => /^(?:curl|wget)$/.test(programName(name?.value ?? '')));
    if (isDownloaded && commands.some(({ words }) => runsText(words))) this.reasons.add('runs what it downloads');
    const isSql = commands.some(({ words: [name] }) =>
      /^(?:psql|mysql|mariadb|sqlite3|mongosh?)$/.test(name?.value ?? ''),
    );
    if (!isSql && !commands.some(({ words }) => readsScript(words))) return;
    const texts = commands.flatMap(({ words: [name, ...args] }) =>
      /^(?:echo|printf)$/.test(name?.value ?? '') ? [args.map(({ value }) => value).join(' ')] : [],
    );
    for (const text of [...inputs, ...texts])
      if (isSql) this.#command([word('psql'), word(text)], depth);
      else this.read(text, depth + 1);
  }
}

/** The index from which on a program has a command among its arguments; undefined when it runs none. */
function firstCarried(program: string, words: Words): number | undefined {
  const at = (pattern: RegExp) => {
    const index = words.findIndex(({ value }, place) => place > 0 && pattern.test(value));
    return index < 0 ? undefined : index + 1;
  };
  if (isFinderName(program)) return at(/^(?:-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/);
  if (/^(?:docker|podman|kubectl)$/.test(program)) return at(/^(?:exec|run)$/);
  if (/^(?:npm|pnpm|yarn|bun|bundle|poetry|uv)$/.test(program)) return at(/^(?:exec|dlx|x)$/);
  return kindOfProgram(words) === 'runner' ? 1 : undefined;
}

function isNameOfProgram(value: string): boolean {
  return (
    value.includes('/') ||
    (isCommandName(value) && value === value.toLowerCase()) ||
    riskyPrograms.has(programName(value))
  );
}

/** Whether a command runs a text that only the shell knows, or its input. */
function runsText(words: Words): boolean {
  const [name, ...args] = words;
  if (name === undefined) return false;
  if (/^(?:eval|source|\.)$/.test(name.value)) return args.some(({ open }) => open);
  const shell = words.findIndex(({ value }) => isShellName(value));
  if (shell > 0 && kindOfProgram(words) !== 'runner') return false;
  return readsScript(words) || (shell >= 0 && words.slice(shell + 1).some(({ open }) => open));
}

/** The name under which a program is listed: `/sbin/mkfs.ext4` is `mkfs`. */
function programName(path: string): string {
  const name = baseName(path);
  return name.startsWith('mkfs.') ? 'mkfs' : name;
}

function word(value: string): ShellWord {
  return { value, open: false, tilde: false };
}

/** Programs whose names in a line that no parser understands are reason enough. */
const doubtful = /(?:^|[\s;&|({`"'])(?:rm|shred|dd|mkfs\S*|sudo|doas|truncate|git\s+(?:push|reset|clean))\s/;
