import { type CliCommand, type CommandRequest, needsInput } from '../../contract/cli-command.ts';

/** The arguments of one run of Pi, which never asks and has no flag for that. */
export function piCommand({ prompt, model, sessionId, sessionPath, extraArgs = [] }: CommandRequest): CliCommand {
  // It would parse a dash as a flag and an at sign as a file.
  const byInput = needsInput(prompt) || /^[-@]/.test(prompt);
  return {
    args: [
      // One JSON object on each line.
      '--mode',
      'json',
      // Runs once and exits.
      '--print',
      // The model to use.
      ...(model === undefined ? [] : ['--model', model]),
      // Resumes an existing session.
      ...(sessionId === undefined ? [] : ['--session', sessionPath ?? sessionId]),
      ...extraArgs,
      // The prompt; without one it reads stdin.
      ...(byInput ? [] : [prompt]),
    ],
    ...(byInput && { input: prompt }),
  };
}
