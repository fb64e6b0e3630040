import type { CliCommand, CommandRequest } from '../../contract/cli-command.ts';

/** The arguments of one run of OpenCode, and of Kilo Code, which has the same flags. */
export function opencodeCommand({ prompt, model, sessionId, yolo, extraArgs = [] }: CommandRequest): CliCommand {
  return {
    args: [
      // Runs once and exits.
      'run',
      // One JSON object on each line.
      '--format',
      'json',
      // Tells the reasoning too.
      '--thinking',
      // Which model to use, as `provider/model`.
      ...(model === undefined ? [] : ['--model', model]),
      // Goes on with a session of its own.
      ...(sessionId === undefined ? [] : ['--session', sessionId]),
      // Allows what it would ask for; without it, that is refused.
      ...(yolo === true ? ['--auto'] : []),
      ...extraArgs,
    ],
    // It puts quotes around an argument that has a space, so that the model sees them; its input it takes as it is.
    input: prompt,
  };
}
