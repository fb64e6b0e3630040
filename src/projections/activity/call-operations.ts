import type { ToolOutput } from '../../events/tools.ts';
import type { Operation } from './activity.ts';
import { toolTables } from './tables/tool-tables.ts';
import { nativeTools } from './tables/native.ts';
import { ruleFor, type ToolInput, type ToolRule } from './tool-table.ts';

/** A tool call, with its outcome when there is one. */
export interface RecordedCall {
  /** The agent that made it; the name of the tool decides when it is not known. */
  readonly agentId?: string | undefined;
  readonly name: string;
  readonly input?: unknown;
  readonly output?: ToolOutput | undefined;
  /** The folder the agent works in: relative paths are resolved in it when it is known. */
  readonly cwd?: string | undefined;
}

/** Returns what a call does, by the tool table of its agent; none when its tool or its input is not understood. */
export function listOperations(call: RecordedCall): readonly Operation[] {
  const { input, output, cwd } = call;
  return isInput(input) ? (findRule(call)?.operations(input, { output, cwd }) ?? []) : [];
}

/** Returns the shell line that a call runs, exactly; undefined when it runs none. */
export function findCommand(call: RecordedCall): string | undefined {
  return isInput(call.input) ? findRule(call)?.command?.(call.input) : undefined;
}

function findRule({ agentId = '', name }: RecordedCall): ToolRule | undefined {
  const own = Object.hasOwn(toolTables, agentId) ? toolTables[agentId] : undefined;
  const tables = [...(own === undefined ? [] : [own]), nativeTools, ...Object.values(toolTables)];
  return tables.map(table => ruleFor(table, name)).find(found => found !== undefined);
}

function isInput(value: unknown): value is ToolInput {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
