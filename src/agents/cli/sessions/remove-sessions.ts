import { rm } from 'node:fs/promises';
import { errorText } from '../../../base/error-text.ts';
import { environmentFor } from '../../process/environment.ts';
import { adapterNamed } from '../adapters/adapter-named.ts';
import { runToEnd } from './run-to-end.ts';
import { readSessionRecords, type SessionRecord } from './session-record.ts';

/**
 * Removes the sessions that were written for runs, from the folder and from the stores of their programs. Returns why
 * some could not be removed.
 */
export async function removeWrittenSessions(folder: string, runIds: readonly string[]): Promise<string[]> {
  const problems: string[] = [];
  for await (const { place, record } of readSessionRecords(folder, new Set(runIds))) {
    const problem = record.isInStore ? await removeFromStore(record).catch(errorText) : undefined;
    if (problem !== undefined) problems.push(problem);
    await rm(place, { recursive: true, force: true });
  }
  return problems;
}

/** Removes a session from its program's own store; returns why that failed. */
async function removeFromStore(record: SessionRecord): Promise<string | undefined> {
  const { agentId, sessionId, cwd, executable, environment: place } = record;
  const adapter = adapterNamed(agentId);
  const environment = environmentFor(process.env, { needed: adapter.environment, set: place });
  const removal = adapter.session?.remove?.(sessionId, { home: place['HOME'] ?? '', environment, cwd });
  for (const path of removal?.paths ?? []) await rm(path, { recursive: true, force: true });
  if (removal?.args === undefined) return undefined;
  const { signal } = new AbortController();
  const { args, conversation, isUnknown } = removal;
  const { output, problem } = await runToEnd({ executable, args, conversation, cwd, environment, signal });
  if (problem === undefined || isUnknown.test(output)) return undefined;
  return `${adapter.name} did not remove its session ${sessionId}: ${problem}`;
}
