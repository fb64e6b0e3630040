import type { ModelTool } from '../../src/agents/contract/tool-values.ts';
import { toPrompt } from '../../src/agents/model/call/prompt.ts';
import { requestHash } from '../../src/agents/model/call/request-hash.ts';
import type { AgentEvent, EventOf } from '../../src/events/index.ts';
import { projectRequest } from '../../src/projections/index.ts';
import type { Message } from '../../src/projections/message.ts';

/** The requests of events, steps and compactions, with their hashes: as stated, and as the events give the request. */
export function requestHashes(events: readonly AgentEvent[], history?: readonly Message[]) {
  const stored = JSON.parse(JSON.stringify(events)) as AgentEvent[];
  const steps = stored.filter(
    (event): event is EventOf<'step_start'> | EventOf<'summary'> =>
      event.type === 'step_start' || (event.type === 'summary' && event.kind === 'compaction'),
  );
  const fromEvents = steps.map(step => {
    const request = projectRequest(stored, step, history && { history });
    if (request === undefined) return 'no context';
    const { messages, instructions, settings } = request;
    const tools = request.tools as unknown as ModelTool[];
    const prompt = toPrompt(messages, instructions);
    return requestHash({ ...settings, prompt, ...(tools.length > 0 && { tools }) });
  });
  return { steps, stated: steps.map(step => step.requestHash), fromEvents };
}
