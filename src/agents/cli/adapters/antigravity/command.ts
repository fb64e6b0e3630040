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
      // Works in the folder it is started in, instead of one of its own.
      '--add-dir',
      '.',
      // The model to use.
      ...(model === undefined ? [] : ['--model', model]),
      // Resumes one of its own conversations.
      ...(sessionId === undefined ? [] : ['--conversation', sessionId]),
      // No questions. Without this flag it refuses whatever it would ask about.
      ...(yolo === true ? ['--dangerously-skip-permissions'] : []),
      ...extraArgs,
      // Runs once and exits; the prompt is part of the argument, also when it begins with a dash. Without a prompt it
      // reads stdin.
      ...(byInput ? [] : [`--print=${prompt}`]),
    ],
    ...(byInput && { input: prompt }),
  };
}
