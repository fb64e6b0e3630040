import { type CliCommand, type CommandRequest, needsInput } from '../../contract/cli-command.ts';

/** The arguments of one run of Codex. */
export function codexCommand({ prompt, model, sessionId, yolo, extraArgs = [] }: CommandRequest): CliCommand {
  const byInput = needsInput(prompt) || prompt === '-';
  return {
    args: [
      'exec',
      // One JSON object on each line.
      '--json',
      // The folder does not have to be a repository.
      '--skip-git-repo-check',
      // No questions and no sandbox. Without this flag it is read-only and refuses whatever it would ask about.
      ...(yolo === true ? ['--dangerously-bypass-approvals-and-sandbox'] : []),
      // The model to use.
      ...(model === undefined ? [] : ['--model', model]),
      ...extraArgs,
      // Resumes one of its own sessions.
      ...(sessionId === undefined ? [] : ['resume', sessionId]),
      // The prompt follows, also when it begins with a dash; a lone dash reads it from stdin.
      ...(byInput ? ['-'] : ['--', prompt]),
    ],
    ...(byInput && { input: prompt }),
  };
}
