import type { ToolContext } from '../../loop/tool.ts';
import { joined } from '../../workspace/find-files.ts';
import type { Workspace } from '../../workspace/index.ts';

/** Whether a path below the folder that a call names is kept from the call by a permission rule. */
export type PathGuard = (below: string) => boolean;

/** The guard of a call that lists or searches a folder; undefined when no rule can guard anything. */
export async function pathGuard(
  workspace: Workspace,
  folder: string,
  { isGuarded }: Pick<ToolContext, 'isGuarded'>,
): Promise<PathGuard | undefined> {
  if (isGuarded === undefined) return undefined;
  const real = await workspace.withFolder(folder, async opened => opened.real);
  return below => isGuarded('path', workspace.resolvedBelow(joined(real, below)));
}
