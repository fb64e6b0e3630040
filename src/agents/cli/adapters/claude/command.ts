import { type CliCommand, type CommandRequest, needsInput } from '../../contract/cli-command.ts';

/** The arguments of one run of Claude Code. */
export function claudeCommand({ prompt, model, sessionId, yolo, extraArgs = [] }: CommandRequest): CliCommand {
  const byInput = needsInput(prompt);
  return {
    args: [
      // Runs once and exits.
      '--print',
      // One JSON object on each line.
      '--output-format',
      'stream-json',
      // Every message and not only the result; the format above requires it.
      '--verbose',
      // Which model to use.
      ...(model === undefined ? [] : ['--model', model]),
      // Goes on with a session of its own.
      ...(sessionId === undefined ? [] : ['--resume', sessionId]),
      // No questions; without it, its default: what would be asked is refused.
      ...(yolo === true ? ['--dangerously-skip-permissions'] : []),
      ...extraArgs,
      // What follows is the prompt, also when it begins with a dash; without one it reads its input.
      ...(byInput ? [] : ['--', prompt]),
    ],
    ...(byInput && { input: prompt }),
  };
}
