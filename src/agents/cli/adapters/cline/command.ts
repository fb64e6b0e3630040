import { type CliCommand, type CommandRequest, needsInput } from '../../contract/cli-command.ts';

/** The arguments of one run of Cline. */
export function clineCommand({ prompt, model, sessionId, yolo, extraArgs = [] }: CommandRequest): CliCommand {
  const text = prompt.replaceAll('\0', '');
  const byInput = needsInput(text);
  return {
    args: [
      // One JSON object on each line; runs once and exits.
      '--json',
      // It permits itself everything unless told otherwise; without permission, what would be asked is refused.
      '--auto-approve',
      yolo === true ? 'true' : 'false',
      // Which model to use.
      ...(model === undefined ? [] : ['--model', model]),
      // Goes on with a session of its own.
      ...(sessionId === undefined ? [] : ['--id', sessionId]),
      ...extraArgs,
      byInput ? ' ' : asPrompt(text),
    ],
    // It would run in a process that all its runs share and that stays behind, and update itself beside the run.
    env: { CLINE_SESSION_BACKEND_MODE: 'local', CLINE_NO_AUTO_UPDATE: '1' },
    // It reads a file that is its input, but no pipe as other programs make it.
    ...(byInput && { input: text, inputIsFile: true }),
  };
}

/** A single word would be taken for a command, and a dash for a flag; it removes the blank again. */
function asPrompt(text: string): string {
  return /^[^\s-]\S*\s/.test(text) ? text : ` ${text}`;
}
