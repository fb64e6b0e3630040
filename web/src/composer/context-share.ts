import type { ContextUse } from '../../../src/projections/reading/thread-reading.ts';
import type { AgentInfo } from '../../../src/protocols/http-agents.ts';

/** Returns which share of the context of a model is used, from 0 to 1; undefined when its size is not known. */
export function contextShare(
  context: ContextUse | undefined,
  agents: readonly Pick<AgentInfo, 'contextWindows'>[],
): { readonly used: number; readonly window: number } | undefined {
  const { model = '', tokens = 0 } = context ?? {};
  const window = agents.map(({ contextWindows = {} }) => contextWindows[model]).find(each => each !== undefined);
  return window === undefined || window <= 0 ? undefined : { used: Math.min(1, tokens / window), window };
}
