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
      // Disables approvals and the sandbox. Without this flag, Codex is read-only and rejects calls that need approval.
      ...(yolo === true ? ['--dangerously-bypass-approvals-and-sandbox'] : []),
      // The model to use.
      ...(model === undefined ? [] : ['--model', model]),
      ...extraArgs,
      // Resumes an existing session.
      ...(sessionId === undefined ? [] : ['resume', sessionId]),
      // The prompt follows, also when it begins with a dash; a lone dash reads it from stdin.
      ...(byInput ? ['-'] : ['--', prompt]),
    ],
    ...(byInput && { input: prompt }),
  };
}
