import { type CliCommand, type CommandRequest, needsInput } from '../../contract/cli-command.ts';

/** The arguments of one run of Claude Code. */
export function claudeCommand({
  prompt,
  model,
  sessionId,
  sessionPath,
  yolo,
  extraArgs = [],
}: CommandRequest): CliCommand {
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
      // The model to use.
      ...(model === undefined ? [] : ['--model', model]),
      // Resumes an existing session.
      ...(sessionId === undefined ? [] : ['--resume', sessionPath ?? sessionId]),
      // Skips permission prompts. Without this flag, the program rejects every call that needs approval.
      ...(yolo === true ? ['--dangerously-skip-permissions'] : []),
      ...extraArgs,
      // The prompt follows, also when it begins with a dash; without one it reads stdin.
      ...(byInput ? [] : ['--', prompt]),
    ],
    ...(byInput && { input: prompt }),
  };
}
