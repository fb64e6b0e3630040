import { existsSync } from 'node:fs';
import type { AgentEvent } from '../../../events/vocabulary.ts';
import type { CliAdapter } from '../contract/cli-adapter.ts';

/** Returns advice about a failure whose message is recognised; undefined otherwise. */
export function failureHint(adapter: CliAdapter, message: string): string | undefined {
  if (/\b401\b|unauthorized|not logged in|invalid (api )?key|api key|authentication|\/login/i.test(message))
    return `If ${adapter.name} is not logged in, ${adapter.login}.`;
  if (
    /unexpected argument|unknown option|unrecognized (option|argument)|invalid choice|flags? provided but not defined/i.test(
      message,
    )
  )
    return `If this version of ${adapter.name} is too old, update it with \`${describeUpdate(adapter)}\`.`;
  if (
    /missing environment variable|configuration value not found|environment variable .* (is )?not (set|found)/i.test(
      message,
    )
  )
    return 'An external agent does not get every variable: pass others with --env NAME (`env`).';
  return /was denied|rejected permission|auto-rejected|requires? approval|approval required/i.test(message)
    ? permissionAdvice(adapter)
    : undefined;
}

/** Adds advice to the error that ends a run, when its message is recognised. */
export function withHint(adapter: CliAdapter, event: AgentEvent): AgentEvent {
  if (event.type !== 'error' || event.fatal !== true) return event;
  const hint = failureHint(adapter, event.message);
  return hint === undefined ? event : { ...event, message: `${event.message} ${hint}` };
}

/** Returns what to do when a program denied something. */
export function permissionAdvice({ name, live }: Pick<CliAdapter, 'name' | 'live'>): string {
  if (live !== undefined)
    return 'Run it on a terminal to be asked, allow it with rules (--permissions FILE), or run it again with --yolo (`yolo: true`), which allows everything.';
  return `Allow it in the settings of ${name}, or run it again with --yolo (\`yolo: true\`), which allows everything.`;
}

/** Returns the reason that a program could not be started, with advice. */
export function startFailure(
  adapter: CliAdapter,
  error: NodeJS.ErrnoException,
  cwd: string,
): { message: string; code: string } {
  if (!existsSync(cwd)) return { message: `The folder "${cwd}" does not exist.`, code: 'no_folder' };
  if (error.code === 'ENOENT') return { message: notInstalled(adapter, error.path), code: 'not_installed' };
  return { message: `${adapter.name} could not be started: ${error.message}`, code: 'failed_to_start' };
}

/** Returns the message for a program that was not found, with advice. */
export function notInstalled(adapter: CliAdapter, executable: string = adapter.executable): string {
  return `${adapter.name} is not installed: "${executable}" was not found. Install it with \`${adapter.install}\`.`;
}

/** A package is updated by its tag; an install script installs the latest version anyway. */
function describeUpdate({ install }: CliAdapter): string {
  return install.startsWith('npm ') ? `${install}@latest` : install;
}
