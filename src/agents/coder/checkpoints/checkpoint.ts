import * as z from 'zod';
import type { AgentEvent } from '../../../events/index.ts';
import { once } from '../../../events/define.ts';
import type { ToolEvent } from '../../loop/tool.ts';
import type { SnapshotChange } from './shadow-repository.ts';

/** The name of the custom event that records the files a call has changed. */
export const checkpointName = 'checkpoint';

/** The files that one call changed: contents by hash, in the snapshots of its folder. */
export interface Checkpoint {
  readonly toolCallId: string;
  readonly workTree: string;
  readonly files: readonly SnapshotChange[];
}

const schema = once(() =>
  z.object({
    toolCallId: z.string(),
    workTree: z.string(),
    files: z.array(z.object({ path: z.string(), before: z.string().optional(), after: z.string().optional() })),
  }),
);

/** Returns the event of a checkpoint. */
export function checkpointEvent(checkpoint: Checkpoint): ToolEvent {
  return { type: 'custom', name: checkpointName, data: checkpoint };
}

/** Returns the checkpoint that an event records; undefined for any other event. */
export function readCheckpoint(event: AgentEvent): Checkpoint | undefined {
  if (event.type !== 'custom' || event.name !== checkpointName) return undefined;
  return schema().safeParse(event['data']).data as Checkpoint | undefined;
}
