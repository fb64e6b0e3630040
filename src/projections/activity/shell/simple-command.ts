import type { Assignment, Command, CommandArgument, Redirection, Word } from 'unbash';

const closedParts: ReadonlySet<string> = new Set(['Literal', 'SingleQuoted', 'AnsiCQuoted']);
const harmlessOperators: ReadonlySet<string> = new Set(['>', '>>', '<', '&>', '&>>']);
const transparent: ReadonlySet<string> = new Set(['sudo', 'env', 'command']);

/**
 * The words of a simple command as it will see them, without assignments and `sudo` before it; undefined when the shell
 * still expands one of them, or when a redirect touches a file.
 */
export function plainWords(command: Command): string[] | undefined {
  if (command.name === undefined || !command.redirects.every(isHarmless)) return undefined;
  for (const part of command.prefix)
    if (part.type === 'Assignment' && argumentText(part) === undefined) return undefined;
  const words: string[] = [];
  for (const argument of [command.name, ...command.args]) {
    const text = argumentText(argument);
    if (text === undefined) return undefined;
    words.push(text);
  }
  while (words.length > 1 && transparent.has(words[0] as string)) {
    words.shift();
    while (/^\w+=/.test(words[0] ?? '')) words.shift();
    if (words[0]?.startsWith('-')) return undefined;
  }
  return words.length === 0 ? undefined : words;
}

/** The script of `bash -lc '…'` and its like. */
export function innerScript([shell = '', ...rest]: readonly string[]): string | undefined {
  if (!/^(?:\/\S*\/)?(?:ba|z|da|k)?sh$/.test(shell)) return undefined;
  const script = rest.pop();
  return /^(?:-c|-lc|-cl|-l -c)$/.test(rest.join(' ')) ? script : undefined;
}

function argumentText(argument: CommandArgument): string | undefined {
  if (argument.type === 'Assignment') return assignmentText(argument);
  return isClosed(argument) ? argument.value : undefined;
}

function assignmentText({ name, value, append, index }: Assignment): string | undefined {
  if (value.type === 'ArrayValue' || append || index !== undefined || !isClosed(value)) return undefined;
  return `${name}=${value.value}`;
}

function isClosed(word: Word): boolean {
  if (word.text.startsWith('~')) return false;
  return (word.parts ?? []).every(part =>
    part.type === 'DoubleQuoted' ? part.parts.every(child => child.type === 'Literal') : closedParts.has(part.type),
  );
}

/** It joins two descriptors or names `/dev/null`. */
function isHarmless(redirect: Redirection): boolean {
  if (redirect.type !== 'Redirect' || redirect.target === undefined) return false;
  const target = redirect.target.text;
  if (redirect.operator === '>&' || redirect.operator === '<&') return /^\d$/.test(target) || target === '/dev/null';
  return harmlessOperators.has(redirect.operator) && target === '/dev/null';
}
