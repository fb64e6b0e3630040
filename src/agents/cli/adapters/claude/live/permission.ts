import { defined } from '../../../../../events/defined.ts';
import type { LiveRequest } from '../../../contract/live-channel.ts';
import { textOf, type WireRecord } from '../../../shared/wire-value.ts';

type Permission = Extract<LiveRequest, { kind: 'permission' }>;

/** The tools that use no file of the workspace. */
const fileless: ReadonlySet<unknown> = new Set(
  `Agent Task TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoWrite BashOutput KillShell EnterPlanMode Skill
  ToolSearch WebFetch WebSearch`.split(/\s+/),
);

/** What a request for permission says, beside its ids. */
export function claudePermission(
  request: WireRecord,
  input: WireRecord,
): Pick<Permission, 'command' | 'paths' | 'diff' | 'reason' | 'canRevise'> {
  const isShell = request['tool_name'] === 'Bash';
  const path = textOf(input['file_path']) ?? textOf(input['notebook_path']);
  const command = isShell ? textOf(input['command']) : undefined;
  const reason = textOf(input['description']) ?? textOf(request['decision_reason']);
  return {
    ...defined({ command, reason, diff: path === undefined ? undefined : diffOf(path, input) }),
    ...(path !== undefined && { paths: [path] }),
    ...(fileless.has(request['tool_name']) && { paths: [] }),
    canRevise: true,
  };
}

/** The replacement of a text as a diff without a position, which is not reported; undefined when the call makes none. */
function diffOf(path: string, input: WireRecord): string | undefined {
  const { old_string: before, new_string: after } = input;
  if (typeof before !== 'string' || typeof after !== 'string') return undefined;
  // A line ending that both have, or that goes with the whole text, ends a line and begins none.
  const isEnded = [before, after].every(text => text === '' || text.endsWith('\n'));
  const lines = (text: string, mark: string) =>
    text === ''
      ? []
      : text
          .slice(0, isEnded ? -1 : undefined)
          .split('\n')
          .map(line => `${mark}${line}`);
  return [`--- ${path}`, `+++ ${path}`, '@@', ...lines(before, '-'), ...lines(after, '+'), ''].join('\n');
}
