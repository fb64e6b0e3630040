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
      // Includes the reasoning.
      '--thinking',
      // The model to use, as `provider/model`.
      ...(model === undefined ? [] : ['--model', model]),
      // Resumes an existing session.
      ...(sessionId === undefined ? [] : ['--session', sessionId]),
      // Allows what it would ask about. Without this flag, that is refused.
      ...(yolo === true ? ['--auto'] : []),
      ...extraArgs,
    ],
    // It puts quotes around an argument with a space, which the model would see; stdin is passed unchanged.
    input: prompt,
  };
}
