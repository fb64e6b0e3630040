/** What a run of an external agent is asked to do. */
export interface CommandRequest {
  readonly prompt: string;
  readonly model?: string | undefined;
  /** The program's own session to go on with. */
  readonly sessionId?: string | undefined;
  /** Lets the program do everything without asking. */
  readonly yolo?: boolean | undefined;
  /** Further flags for the program, as they are. */
  readonly extraArgs?: readonly string[] | undefined;
}

/** How a program is started. */
export interface CliCommand {
  readonly args: readonly string[];
  /** What it reads from its input, for a prompt that cannot be an argument. */
  readonly input?: string;
  /** Its input has to be a file: it reads no pipe. */
  readonly inputIsFile?: boolean;
  /** Variables of its environment that say what has no flag. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The longest prompt that is passed as an argument: systems limit a single one to 128 KiB. */
const longestArgument = 100_000;

/** Whether a prompt is too long, or of a form that cannot be, an argument. */
export function needsInput(prompt: string): boolean {
  return Buffer.byteLength(prompt) > longestArgument || prompt.includes('\0');
}
