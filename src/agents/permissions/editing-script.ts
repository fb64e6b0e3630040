import { mayBecomeOption, type ShellWord } from '../../projections/shell/shell-word.ts';

/** Whether the arguments of a program with a script only read; what the rule names itself is not judged. */
export type ReadingCheck = (args: readonly ShellWord[], isNamed: (index: number) => boolean) => boolean;

/**
 * Whether sed only reads: known options, and scripts of addresses with the commands that print, delete, move on and
 * substitute. Commands, flags and options that run or write (`e`, `w`, `-i`) are not among them.
 */
export const readsBySed: ReadingCheck = (args, isNamed) => {
  const scripts: (string | undefined)[] = [];
  const operands: (string | undefined)[] = [];
  for (let index = 0; index < args.length; index++) {
    const value = readScript(args, index, isNamed);
    const option = args[index]?.value ?? '';
    const [, attached] = /^(?:--expression=|-[nErsuz]*e)([^]+)$/.exec(option) ?? [];
    if (attached !== undefined) scripts.push(isNamed(index) ? '' : attached);
    else if (/^(?:-[nErsuz]*e|--expression)$/.test(option)) scripts.push(readScript(args, ++index, isNamed));
    else if (!option.startsWith('-') || option === '-') operands.push(value);
    else if (!isNamed(index) && !/^(?:-[nErsuz]+|--(?:quiet|silent|regexp-extended|separate|null-data))$/.test(option))
      return false;
  }
  if (args.some((word, index) => !isNamed(index) && mayBecomeOption(word))) return false;
  return (scripts.length > 0 ? scripts : operands.slice(0, 1)).every(isReadingScript);
};

/** The script in an argument: empty when the rule names it, undefined when only the shell knows it. */
function readScript(
  args: readonly ShellWord[],
  index: number,
  isNamed: (index: number) => boolean,
): string | undefined {
  const word = args[index];
  return isNamed(index) ? '' : word?.open === true ? undefined : word?.value;
}

const longestScript = 1000;
const address = String.raw`(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n]|\\[^\n])*/I?)`;
const range = String.raw`(?:${address}(?:,(?:${address}|[+~]\d+))?)?\s*!?\s*`;
const substitutions = ['/', '|', ',', '#', ':', '@', '%']
  .map(mark => (mark === '|' ? String.raw`\|` : mark))
  .map(
    mark => String.raw`s${mark}(?:(?!${mark})[^\\\n]|\\[^\n])*${mark}(?:(?!${mark})[^\\\n]|\\[^\n])*${mark}[gpiI\d]*`,
  );
const command = String.raw`(?:${substitutions.join('|')}|[pPdDnNhHgGxl=]|[qQ]\d*)`;
const sedScript = new RegExp(String.raw`^\s*(?:${range}${command}\s*)(?:[;\n]\s*(?:${range}${command}\s*)?)*$`);

/** Versions of sed differ in where a bracket ends that holds the mark of a pattern: such a script is not understood. */
function isReadingScript(script: string | undefined): boolean {
  if (script === undefined || script === '') return script === '';
  return script.length <= longestScript && !/\[[^\]]*[/|,#:@%]/.test(script) && sedScript.test(script);
}

/**
 * Whether awk only reads: a field separator, variables, and a program that starts nothing, opens nothing and prints to
 * the output alone. A comparison with `>` looks like a redirect, so it does not count as reading.
 */
export const readsByAwk: ReadingCheck = (args, isNamed) => {
  const operands: (string | undefined)[] = [];
  for (let index = 0; index < args.length; index++) {
    const option = args[index]?.value ?? '';
    if (/^-[Fv]$/.test(option)) index++;
    else if (!option.startsWith('-') || option === '-') operands.push(readScript(args, index, isNamed));
    else if (!isNamed(index) && !/^-[Fv]/.test(option)) return false;
  }
  if (args.some((word, index) => !isNamed(index) && mayBecomeOption(word))) return false;
  return operands[0] !== undefined && !/[|>@]|system|getline/.test(operands[0]);
};
