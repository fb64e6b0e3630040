import { Argument, type Command } from 'commander';
import { listedCommand } from './command-list.ts';
import { standardOutput } from '../control/standard-output.ts';

/** Adds `singletree completion`, which prints a script that completes commands and options in a shell. */
export function addCompletionCommand(program: Command): void {
  listedCommand(program, 'completion')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: 'bash' | 'zsh' | 'fish') => {
      await standardOutput.write(`${scripts[shell](listWords(program))}\n`);
    });
}

interface CommandWords {
  readonly name: string;
  readonly description: string;
  readonly words: readonly string[];
}

function listWords(program: Command): CommandWords[] {
  return program.commands.map(command => ({
    name: command.name(),
    description: command.description(),
    words: [
      ...command.commands.map(each => each.name()),
      ...command.options.flatMap(option => (option.hidden ? [] : [option.long ?? option.short ?? ''])),
      ...command.registeredArguments.flatMap(argument => argument.argChoices ?? []),
    ].filter(word => word !== ''),
  }));
}

const scripts = {
  bash: (commands: readonly CommandWords[]) =>
    [
      '_singletree() {',
      '  local word="${COMP_WORDS[COMP_CWORD]}" words',
      '  case "${COMP_CWORD}:${COMP_WORDS[1]}" in',
      `    1:*) words="${commands.map(({ name }) => name).join(' ')}" ;;`,
      ...commands.map(({ name, words }) => `    *:${name}) words="${words.join(' ')}" ;;`),
      '  esac',
      '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
      '}',
      'complete -o default -F _singletree singletree',
    ].join('\n'),
  zsh: (commands: readonly CommandWords[]) =>
    ['autoload -U +X bashcompinit && bashcompinit', scripts.bash(commands)].join('\n'),
  fish: (commands: readonly CommandWords[]) =>
    commands
      .flatMap(({ name, description, words }) => [
        `complete -c singletree -n __fish_use_subcommand -a ${name} -d '${description.replaceAll("'", "\\'")}'`,
        ...words.map(word =>
          word.startsWith('--')
            ? `complete -c singletree -n '__fish_seen_subcommand_from ${name}' -l ${word.slice(2)}`
            : `complete -c singletree -n '__fish_seen_subcommand_from ${name}' -a '${word}'`,
        ),
      ])
      .join('\n'),
};
