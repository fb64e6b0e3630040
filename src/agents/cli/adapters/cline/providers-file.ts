import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toRecord, toText } from '../../shared/wire-value.ts';
import { defined } from '../../../../base/defined.ts';

/** The provider that `cline auth` has configured. */
export interface ClineProvider {
  readonly provider?: string;
  readonly apiKey?: string;
  readonly model?: string;
}

/** Reads the settings of the provider used last; nothing when there are none. */
export function clineProvider(environment: Readonly<Record<string, string>>): ClineProvider {
  let settings: unknown;
  try {
    const file = join(environment['HOME'] ?? '', '.cline', 'data', 'settings', 'providers.json');
    settings = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {}; // There are none: the program asks for them itself.
  }
  const provider = environment['CLINE_PROVIDER'] ?? toText(toRecord(settings)?.['lastUsedProvider']);
  const entry = toRecord(toRecord(toRecord(settings)?.['providers'])?.[provider ?? '']);
  const own = toRecord(entry?.['settings']);
  return defined({ provider, apiKey: toText(own?.['apiKey']), model: toText(own?.['model']) });
}
