import { type CliCommand, type CommandRequest, needsInput } from '../../contract/cli-command.ts';

/** Returns the command of one run of Goose. */
export function gooseCommand(request: CommandRequest): CliCommand {
  const { prompt, model, sessionId, sessionName = 'singletree', yolo, extraArgs = [] } = request;
  const byInput = needsInput(prompt);
  return {
    args: [
      'run',
      // One JSON object on each line.
      '--output-format',
      'stream-json',
      // The model to use.
      ...(model === undefined ? [] : ['--model', model]),
      // Resumes an existing session by its name or id; a new session gets a name.
      ...(sessionId === undefined ? ['--name', sessionName] : ['--resume', '--name', sessionId]),
      ...extraArgs,
      // The prompt in one argument, also when it begins with a dash; a lone dash reads it from stdin.
      ...(byInput ? ['--instructions', '-'] : [`--text=${prompt}`]),
    ],
    // Approves every call. Without this mode, the user's setting applies and a tool that needs approval ends the run.
    ...(yolo === true && { env: { GOOSE_MODE: 'auto' } }),
    ...(byInput && { input: prompt }),
  };
}
