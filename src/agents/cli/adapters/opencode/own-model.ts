import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDatabase, queryDatabase, removeCopy } from '../../sessions/database-copy.ts';
import type { HandOverPlace } from '../../sessions/session-format.ts';
import { toRecord, toText } from '../../shared/wire-value.ts';

/**
 * Returns the model that OpenCode, or Kilo Code, would use in a new session, as `provider/model`: the one of its
 * settings, else the one of its newest message. A resumed session continues with the model of its last message instead.
 */
export function findOwnModel(program: string, place: HandOverPlace): string | undefined {
  const { home, environment, cwd } = place;
  const settings = join(environment['XDG_CONFIG_HOME'] ?? join(home, '.config'), program);
  const files = [cwd, settings].flatMap(folder => [join(folder, `${program}.json`), join(folder, `${program}.jsonc`)]);
  for (const file of files) {
    const model = readModel(file);
    if (model !== undefined) return model;
  }
  return readNewestModel(join(findDataFolder(program, place), `${program}.db`));
}

/** The folder of a program's database. */
export function findDataFolder(program: string, { home, environment }: Omit<HandOverPlace, 'cwd'>): string {
  return join(environment['XDG_DATA_HOME'] ?? join(home, '.local', 'share'), program);
}

function readModel(file: string): string | undefined {
  try {
    return toText(toRecord(JSON.parse(readFileSync(file, 'utf8')))?.['model']);
  } catch {
    // It is missing, or has comments: the program's newest message is as good.
    return undefined;
  }
}

function readNewestModel(database: string): string | undefined {
  if (!isDatabase(database)) return undefined;
  try {
    const [row] = queryDatabase(
      database,
      `SELECT json_extract(data, '$.model.providerID') AS provider, json_extract(data, '$.model.modelID') AS model
       FROM message WHERE json_extract(data, '$.role') = 'user' ORDER BY time_created DESC LIMIT 1`,
    );
    const [provider, model] = [toText(row?.['provider']), toText(row?.['model'])];
    return provider === undefined || model === undefined ? undefined : `${provider}/${model}`;
  } finally {
    removeCopy();
  }
}
