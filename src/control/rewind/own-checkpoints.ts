import { realpath } from 'node:fs/promises';
import { type Checkpoint, readCheckpoint } from '../../agents/coder/checkpoints/checkpoint.ts';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { EventLog, Thread } from '../../log/event-log.ts';
import { readPagesBackwards } from '../../log/read-events.ts';

/**
 * Returns the checkpoints among the events of a thread from a seq on that an undo or a redo may follow: those that were
 * not imported, whose work tree is the folder of their run, and whose paths stay in it. All others are ignored. Throws
 * `workspace_unavailable` when the folder of a run does not exist any more.
 */
export async function ownCheckpoints(
  log: EventLog,
  { id, importedSeq = 0 }: Thread,
  events: readonly LoggedEvent[],
): Promise<Checkpoint[]> {
  const own = events.filter(({ seq }) => seq > importedSeq);
  const found = own.flatMap(event => {
    const checkpoint = readCheckpoint(event);
    return checkpoint === undefined ? [] : [{ runId: event.runId, checkpoint }];
  });
  const cwds = new Map<string, string | undefined>(found.map(({ runId }) => [runId, undefined]));
  const take = (event: LoggedEvent) => {
    if (event.type === 'harness_start' && cwds.has(event.runId)) cwds.set(event.runId, event.cwd ?? '');
  };
  const isComplete = () => [...cwds.values()].every(cwd => cwd !== undefined);
  for (const event of own) take(event);
  // The start of a run precedes messages that were sent into it, so it may be before the given events.
  if (!isComplete())
    for await (const page of readPagesBackwards(log, id, { after: importedSeq, before: own[0]?.seq ?? 1 })) {
      for (const event of page) take(event);
      if (isComplete()) break;
    }
  const folders = new Map<string, string>();
  for (const cwd of new Set(cwds.values())) if (cwd) folders.set(cwd, await findFolder(cwd));
  return found.flatMap(({ runId, checkpoint }) =>
    folders.get(cwds.get(runId) ?? '') === checkpoint.workTree ? [checkpoint] : [],
  );
}

async function findFolder(cwd: string): Promise<string> {
  try {
    return await realpath(cwd);
  } catch (cause) {
    throw new SingletreeError(
      'workspace_unavailable',
      `The folder "${cwd}" does not exist any more: its files cannot be rewound. The conversation can still be.`,
      { cause },
    );
  }
}
