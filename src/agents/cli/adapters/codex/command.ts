import { type CliCommand, type CommandRequest, needsInput } from '../../contract/cli-command.ts';

/** The arguments of one run of Codex. */
export function codexCommand({ prompt, model, sessionId, yolo, extraArgs = [] }: CommandRequest): CliCommand {
  const byInput = needsInput(prompt) || prompt === '-';
  return {
    args: [
      'exec',
      // One JSON object on each line.
      '--json',
      // A folder need not be a repository.
      '--skip-git-repo-check',
      // No questions and no sandbox; without it, its default: read-only, and what would be asked is refused.
      ...(yolo === true ? ['--dangerously-bypass-approvals-and-sandbox'] : []),
      // Which model to use.
      ...(model === undefined ? [] : ['--model', model]),
      ...extraArgs,
      // Goes on with a session of its own.
      ...(sessionId === undefined ? [] : ['resume', sessionId]),
      // What follows is the prompt, also when it begins with a dash; a lone dash reads it from the input.
      ...(byInput ? ['-'] : ['--', prompt]),
    ],
    ...(byInput && { input: prompt }),
  };
}
