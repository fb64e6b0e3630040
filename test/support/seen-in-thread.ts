import type { AgentEvent } from '../../src/events/index.ts';
import type { ViewNode, ViewPart } from '../../src/projections/index.ts';

/** Everything a thread shows, counted: how often each event's content is there, and how many characters of prose. */
export interface Seen {
  readonly counts: Record<string, number>;
  readonly prose: number;
}

/** What a thread shows, subagents included. */
export function seenIn(nodes: readonly ViewNode[]): Seen {
  const counts: Record<string, number> = {};
  let prose = 0;
  const see = (what: string) => (counts[what] = (counts[what] ?? 0) + 1);
  const visit = (part: ViewPart): void => {
    if ('text' in part) prose += part.text.length;
    else if (part.kind === 'user') see(`user ${JSON.stringify(part.content)}`);
    else if (part.kind === 'fact')
      see(part.event.type === 'relay_resolved' ? 'answer' : `fact ${JSON.stringify(part.event)}`);
    else if (part.kind === 'relay') {
      see(`relay ${part.relay.id}`);
      if (part.answer !== undefined) see('answer');
    } else if (part.kind === 'tool') {
      if (part.input !== undefined) see('call');
      part.progress.forEach(() => see('progress'));
      if (part.output !== undefined) see(`output ${JSON.stringify(part.output)}`);
      part.laterOutputs.forEach(output => see(`output ${JSON.stringify(output)}`));
      part.relays.forEach(visit);
      part.runs.forEach(walk);
    } else {
      if (part.kind === 'repl') {
        if (part.code !== undefined) see('execution');
        if (part.output !== undefined) see('execution output');
        for (const { text } of part.printed) prose += text.length;
      }
      part.runs.forEach(walk);
    }
  };
  const walk = (node: ViewNode): void => node.parts.forEach(visit);
  nodes.forEach(walk);
  return { counts, prose };
}

const facts = new Set([
  'plan_status',
  'tasks',
  'summary',
  'error',
  'warning',
  'file_registered',
  'unknown',
  'custom',
  'mode_changed',
  'model_changed',
  'folder_changed',
  'grant_revoked',
]);

/** What has to be seen of events of which no attempt was superseded and every relay was answered at most once. */
export function happened(events: readonly AgentEvent[]): Seen {
  const counts: Record<string, number> = {};
  let prose = 0;
  const see = (what: string) => (counts[what] = (counts[what] ?? 0) + 1);
  for (const event of events) {
    if (event.type === 'text' || event.type === 'reasoning') prose += event.content.length;
    else if (event.type === 'repl_progress') prose += event.chunk.length;
    else if (event.type === 'user') see(`user ${JSON.stringify(event.content)}`);
    else if (event.type === 'relay') see(`relay ${event.id}`);
    else if (event.type === 'relay_resolved') see('answer');
    else if (event.type === 'tool_call') see('call');
    else if (event.type === 'tool_progress') see('progress');
    else if (event.type === 'tool_result') see(`output ${JSON.stringify(event.output)}`);
    else if (event.type === 'repl_input') see('execution');
    else if (event.type === 'repl_output') see('execution output');
    else if (facts.has(event.type)) see(`fact ${JSON.stringify(event)}`);
  }
  return { counts, prose };
}
