import { defined } from '../../../../../base/defined.ts';
import type { LiveRequest } from '../../../contract/live-channel.ts';
import { toText, type WireRecord } from '../../../shared/wire-value.ts';

type Permission = Extract<LiveRequest, { kind: 'permission' }>;

/** The tools that use no file of the workspace. */
const fileless: ReadonlySet<unknown> = new Set(
  `Agent Task TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoWrite BashOutput KillShell EnterPlanMode Skill
  ToolSearch WebFetch WebSearch`.split(/\s+/),
);

/** Returns the details of a permission request, without its ids. */
export function claudePermission(
  request: WireRecord,
  input: WireRecord,
): Pick<Permission, 'command' | 'paths' | 'reason' | 'canRevise'> {
  const isShell = request['tool_name'] === 'Bash';
  const path = toText(input['file_path']) ?? toText(input['notebook_path']);
  const command = isShell ? toText(input['command']) : undefined;
  const reason = toText(input['description']) ?? toText(request['decision_reason']);
  return {
    ...defined({ command, reason }),
    ...(path !== undefined && { paths: [path] }),
    ...(fileless.has(request['tool_name']) && { paths: [] }),
    canRevise: true,
  };
}
