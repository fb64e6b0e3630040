import { type CliCommand, type CommandRequest, needsInput } from '../../contract/cli-command.ts';

/** How one run of Goose is started. */
export function gooseCommand({ prompt, model, sessionId, yolo, extraArgs = [] }: CommandRequest): CliCommand {
  const byInput = needsInput(prompt);
  return {
    args: [
      'run',
      // One JSON object on each line.
      '--output-format',
      'stream-json',
      // Which model to use.
      ...(model === undefined ? [] : ['--model', model]),
      // Goes on with a session of its own; a new one has a name, or it would ask the model for one.
      ...(sessionId === undefined ? ['--name', 'singletree'] : ['--resume', '--session-id', sessionId]),
      ...extraArgs,
      // The prompt, in one argument also when it begins with a dash; a lone dash reads it from the input.
      ...(byInput ? ['--instructions', '-'] : [`--text=${prompt}`]),
    ],
    // No questions; without it, its own setting, under which a tool that would be asked about ends the run.
    ...(yolo === true && { env: { GOOSE_MODE: 'auto' } }),
    ...(byInput && { input: prompt }),
  };
}
