import { type CliCommand, type CommandRequest, needsInput } from '../../contract/cli-command.ts';

/** The arguments of one run of Cline. */
export function clineCommand({ prompt, model, yolo, extraArgs = [] }: CommandRequest): CliCommand {
  const text = prompt.replaceAll('\0', '');
  const byInput = needsInput(text);
  return {
    args: [
      // One JSON object on each line; runs once and exits.
      '--json',
      // Cline approves every call by default; with `false` it rejects each call that needs approval.
      '--auto-approve',
      yolo === true ? 'true' : 'false',
      // The model to use.
      ...(model === undefined ? [] : ['--model', model]),
      ...extraArgs,
      byInput ? ' ' : asPrompt(text),
    ],
    // Otherwise it would run in a shared process that outlives the run, and update itself during the run.
    env: { CLINE_SESSION_BACKEND_MODE: 'local', CLINE_NO_AUTO_UPDATE: '1' },
    // It accepts a file as stdin, but not the kind of pipe that other programs create.
    ...(byInput && { input: text, inputIsFile: true }),
  };
}

/** A single word would be parsed as a command and a dash as a flag; the program trims the blank. */
function asPrompt(text: string): string {
  return /^[^\s-]\S*\s/.test(text) ? text : ` ${text}`;
}
