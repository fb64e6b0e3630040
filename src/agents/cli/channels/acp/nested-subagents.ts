import type { ToolOutput } from '../../../../events/tools.ts';
import { ChildRuns } from '../../shared/child-runs.ts';
import type { LineContext } from '../../shared/line-context.ts';
import type { OpenCall } from '../../shared/open-calls.ts';
import { toRecord, toText } from '../../shared/wire-value.ts';
import type { SubagentRules } from './profile.ts';

/**
 * Handles subagents whose unmarked records are part of their parent's stream: while a subagent works, its parent waits,
 * so the records belong to the subagent. The records of several concurrent subagents cannot be attributed.
 */
export function nestedSubagents(
  context: LineContext,
  {
    tool,
    agentOf = () => undefined,
  }: { readonly tool: string; readonly agentOf?: (input: unknown) => string | undefined },
): SubagentRules {
  const children = new ChildRuns(context);
  const open = new Set<string>();
  const findChild = (runId: string) => [...open].map(key => children.get(key)).find(child => child?.runId === runId);
  return {
    runOf: () => (open.size === 1 ? children.get([...open][0] as string)?.runId : undefined),
    isOpen: runId => children.isOpen(runId),
    wrote(runId, text) {
      const child = findChild(runId);
      if (child !== undefined) child.lastText = (child.lastText ?? '') + text;
    },
    called(rawId: string, { id: parentId, name, input, runId }: OpenCall) {
      const caller = findChild(runId);
      if (caller !== undefined) caller.lastText = undefined;
      if (name !== tool) return;
      open.add(rawId);
      children.start(rawId, {
        id: parentId.slice(context.runId.length + 1),
        parentId,
        agentId: agentOf(input),
      });
    },
    answered(rawId: string, _call: OpenCall, output: ToolOutput) {
      if (!open.delete(rawId)) return output;
      const answer = 'context' in output ? answerIn(output.context) : 'error' in output ? output.error : output.reason;
      children.end(rawId, 'context' in output ? 'complete' : 'error', answer);
      return output;
    },
    progress: () => false,
    flush: () => children.flush(),
  };
}

function answerIn(context: unknown): string | undefined {
  return toText(context) ?? toText(toRecord(context)?.['text']);
}
