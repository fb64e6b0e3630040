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
      // Approves calls that need approval. Without this flag, the program rejects them.
      ...(yolo === true ? ['--auto'] : []),
      ...extraArgs,
    ],
    // The program quotes an argument that contains a space, and the model would see the quotes; stdin stays unchanged.
    input: prompt,
  };
}
