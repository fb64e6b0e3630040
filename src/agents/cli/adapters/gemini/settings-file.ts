import { readFileSync } from 'node:fs';
import { SingletreeError } from '../../../../events/index.ts';
import { recordOf } from '../../shared/wire-value.ts';

const variable = 'GEMINI_CLI_SYSTEM_SETTINGS_PATH';

/** The name of the settings file in the folder of a session. */
export const settingsFile = 'gemini-settings.json';

/**
 * Returns system settings, which win over all others, with the clean-up of sessions switched off: it deletes a session
 * that has been resumed. The settings of the machine are kept. Throws `invalid_argument` when they cannot be read.
 */
export function geminiSettings(environment: Readonly<Record<string, string>>): string {
  const path = environment[variable] ?? '/etc/gemini-cli/settings.json';
  let own: Readonly<Record<string, unknown>> = {};
  try {
    own = recordOf(JSON.parse(readFileSync(path, 'utf8'))) ?? {};
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT')
      throw new SingletreeError(
        'invalid_argument',
        `The system settings of Gemini CLI in ${path} cannot be read. Write them as JSON without comments.`,
        { cause },
      );
  }
  return JSON.stringify({ ...own, general: { ...recordOf(own['general']), sessionRetention: { enabled: false } } });
}

/** The variable that names the settings file. */
export function settingsVariable(path: string): Record<string, string> {
  return { [variable]: path };
}
