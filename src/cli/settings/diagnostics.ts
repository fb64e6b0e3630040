import type { Command } from 'commander';
import type { OnDiagnostic } from '../../control/diagnostics.ts';
import { printNotice } from '../../control/standard-output.ts';
import { errorText } from '../../events/error-text.ts';

export interface DiagnosticsOptions {
  readonly verbose?: boolean;
}

/** Adds the option that prints diagnostics. */
export function addVerboseOption(command: Command): Command {
  return command.option('--verbose', 'print on stderr what failed in the background and is tried again');
}

/** Returns what prints diagnostics on stderr; undefined unless that is asked for. */
export function diagnosticsFor({ verbose }: DiagnosticsOptions): OnDiagnostic | undefined {
  if (verbose !== true) return undefined;
  return ({ code, threadId, cause }) =>
    printNotice(`${code}${threadId === undefined ? '' : ` in thread ${threadId}`}: ${errorText(cause)}`);
}
