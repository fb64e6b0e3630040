/** A request to an external agent. */
export interface CommandRequest {
  readonly prompt: string;
  readonly model?: string | undefined;
  /** The program's own session to resume. */
  readonly sessionId?: string | undefined;
  /** The file of that session, when it is not among the program's own. */
  readonly sessionPath?: string | undefined;
  /** The name of a new session, for a program whose sessions are known by name. */
  readonly sessionName?: string | undefined;
  /** Lets the program do everything without asking. */
  readonly yolo?: boolean | undefined;
  /** Further flags for the program, passed unchanged. */
  readonly extraArgs?: readonly string[] | undefined;
}

/** The beginning of the names of sessions. */
export const sessionNamePrefix = 'singletree-';

/** The command line of a program. */
export interface CliCommand {
  readonly args: readonly string[];
  /** The content of stdin, for a prompt that cannot be an argument. */
  readonly input?: string;
  /** Whether stdin has to be a file, because the program reads no pipe. */
  readonly inputIsFile?: boolean;
  /** Environment variables for settings without a flag. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The longest prompt passed as an argument: systems limit a single argument to 128 KiB. */
const longestArgument = 100_000;

/** Whether a prompt is too long for an argument or contains NUL. */
export function needsInput(prompt: string): boolean {
  return Buffer.byteLength(prompt) > longestArgument || prompt.includes('\0');
}
