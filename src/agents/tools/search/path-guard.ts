import type { ToolCall } from '../../contract/agent.ts';
import { joined } from '../../workspace/file-walk.ts';
import type { WorkspaceFolder } from '../../workspace/workspace-folder.ts';

/** Whether a permission rule keeps a path below the searched folder from the call. */
export type PathGuard = (below: string) => boolean;

/** Returns the guard of a call that lists or searches a folder; undefined when no rule can apply. */
export async function pathGuard(
  workspace: WorkspaceFolder,
  folder: string,
  { isGuarded }: Pick<ToolCall, 'isGuarded'>,
): Promise<PathGuard | undefined> {
  if (isGuarded === undefined) return undefined;
  const real = await workspace.withFolder(folder, async opened => opened.real);
  return below => isGuarded('path', workspace.resolvedBelow(joined(real, below)));
}
