import { type CliCommand, type CommandRequest, needsInput } from '../../contract/cli-command.ts';

/** The arguments of one run of Antigravity. */
export function antigravityCommand({ prompt, model, sessionId, yolo, extraArgs = [] }: CommandRequest): CliCommand {
  const byInput = needsInput(prompt);
  return {
    args: [
      // One JSON object on each line; releases before 1.1.8 do not know it.
      '--output-format',
      'stream-json',
      // It would stop after five minutes, and call that a success.
      '--print-timeout',
      '24h',
      // It works in the folder it is started in, and not in one of its own.
      '--add-dir',
      '.',
      // Which model to use.
      ...(model === undefined ? [] : ['--model', model]),
      // Goes on with a conversation of its own.
      ...(sessionId === undefined ? [] : ['--conversation', sessionId]),
      // No questions; without it, its default: what would be asked is refused.
      ...(yolo === true ? ['--dangerously-skip-permissions'] : []),
      ...extraArgs,
      // Runs once and exits; the prompt is in one argument, also when it begins with a dash. Without it, it reads its input.
      ...(byInput ? [] : [`--print=${prompt}`]),
    ],
    ...(byInput && { input: prompt }),
  };
}
