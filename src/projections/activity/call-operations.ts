import type { ToolOutput } from '../../events/index.ts';
import type { Operation } from './activity.ts';
import { toolTables } from './tables/index.ts';
import { nativeTools } from './tables/native.ts';
import { ruleFor } from './tool-table.ts';

/** A tool call, with its outcome when there is one. */
export interface RecordedCall {
  /** The agent that made it; the name of the tool decides when it is not known. */
  readonly agentId?: string | undefined;
  readonly name: string;
  readonly input?: unknown;
  readonly output?: ToolOutput | undefined;
}

/** Returns what a call does, by the tool table of its agent; none when its tool or its input is not understood. */
export function operationsOf({ agentId = '', name, input, output }: RecordedCall): readonly Operation[] {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return [];
  const own = Object.hasOwn(toolTables, agentId) ? toolTables[agentId] : undefined;
  const tables = [...(own === undefined ? [] : [own]), nativeTools, ...Object.values(toolTables)];
  const rule = tables.map(table => ruleFor(table, name)).find(found => found !== undefined);
  return rule?.operations(input as Record<string, unknown>, { output }) ?? [];
}
