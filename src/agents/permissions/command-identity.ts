import type { Command, CommandNode, PipelineNode, Statement } from 'unbash';
import { readShellLine } from './shell-line.ts';
import { shellWord } from './shell-word.ts';

type Token = readonly string[] | string;

/**
 * A text that two command lines share only when they run the same words in the same way: for lists and pipelines of
 * simple commands without expansions and redirects, whatever their spacing and quotes; for any other line, its exact text.
 */
export function commandIdentity(line: string): string {
  const { plain, script } = readShellLine(line);
  const tokens = plain && script !== undefined ? allOf(script.commands.map(statementTokens)) : undefined;
  return tokens === undefined ? `text ${line}` : `words ${JSON.stringify(tokens)}`;
}

function statementTokens({ command, background }: Statement): Token[] | undefined {
  const tokens =
    command.type === 'AndOr'
      ? joined(command.commands.map(pipelineTokens), command.operators)
      : pipelineTokens(command);
  return tokens && [...tokens, background ? '&' : ';'];
}

function pipelineTokens(node: PipelineNode): Token[] | undefined {
  if (node.type !== 'Pipeline') return commandTokens(node);
  const tokens = joined(node.commands.map(commandTokens), node.operators);
  return tokens && [...node.prefixes.map(() => '!'), ...tokens];
}

function commandTokens(node: CommandNode): Token[] | undefined {
  if (node.type !== 'Command' || node.prefix.length > 0 || node.redirects.length > 0) return undefined;
  const words = wordsOf(node);
  return words && [words];
}

function wordsOf({ name, args }: Command): string[] | undefined {
  const words = name === undefined ? [] : [name, ...args].map(shellWord);
  return words.some(word => word.open || word.tilde) ? undefined : words.map(word => word.value);
}

function joined(parts: readonly (Token[] | undefined)[], operators: readonly string[]): Token[] | undefined {
  return allOf(parts.map((part, index) => part && [...part, ...operators.slice(index, index + 1)]));
}

function allOf(parts: readonly (Token[] | undefined)[]): Token[] | undefined {
  const found = parts.filter(part => part !== undefined);
  return found.length === parts.length ? found.flat() : undefined;
}
