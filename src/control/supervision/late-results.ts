import type { AgentEvent } from '../../events/vocabulary.ts';
import { lateResult } from '../../events/order.ts';

/** Returns what is appended about calls that finished in a process after it lost their run: their results are not used. */
export function lateResults(unwritten: readonly AgentEvent[]): AgentEvent[] {
  return unwritten.flatMap(event => {
    if (event.type !== 'tool_result') return [];
    const { runId, id: toolCallId, name, output } = event;
    const message = `The tool "${name}" finished in a process that had lost the run: its result was not used.`;
    return [{ type: 'warning', runId, code: lateResult, message, toolCallId, output }];
  });
}
