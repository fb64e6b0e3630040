import { type CliCommand, type CommandRequest, needsInput } from '../../contract/cli-command.ts';

/** The arguments of one run of Antigravity. */
export function antigravityCommand({ prompt, model, sessionId, yolo, extraArgs = [] }: CommandRequest): CliCommand {
  const byInput = needsInput(prompt);
  return {
    args: [
      // One JSON object on each line; releases before 1.1.8 do not know it.
      '--output-format',
      'stream-json',
      // Its own limit would end the run after five minutes and report success.
      '--print-timeout',
      '24h',
      // Adds the working directory to the workspace, in place of the program's default folder.
      '--add-dir',
      '.',
      // The model to use.
      ...(model === undefined ? [] : ['--model', model]),
      // Resumes an existing conversation.
      ...(sessionId === undefined ? [] : ['--conversation', sessionId]),
      // Skips permission prompts. Without this flag, the program rejects every call that needs approval.
      ...(yolo === true ? ['--dangerously-skip-permissions'] : []),
      ...extraArgs,
      // Runs once and exits; the prompt is part of the argument, also when it begins with a dash. Without a prompt it
      // reads stdin.
      ...(byInput ? [] : [`--print=${prompt}`]),
    ],
    ...(byInput && { input: prompt }),
  };
}
