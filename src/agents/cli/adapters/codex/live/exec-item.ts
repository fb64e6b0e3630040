import { toList, toRecord, toText, type WireRecord } from '../../../shared/wire-value.ts';
import { defined } from '../../../../../base/defined.ts';

/** Returns an item of the app server in the form of `codex exec --json`; an item of an unknown type unchanged. */
export function execItem(item: WireRecord): WireRecord {
  const type = toText(item['type']) ?? '';
  if (!Object.hasOwn(forms, type)) return item;
  return { id: item['id'], status: snake(item['status']), ...(forms[type] as Form)(item) };
}

type Form = (item: WireRecord) => WireRecord;

const forms: Readonly<Record<string, Form>> = {
  agentMessage: item => ({ type: 'agent_message', text: item['text'] }),
  reasoning: item => ({ type: 'reasoning', text: reasoningText(item) }),
  commandExecution: item => ({
    type: 'command_execution',
    command: item['command'],
    aggregated_output: item['aggregatedOutput'],
    exit_code: item['exitCode'],
  }),
  fileChange: item => ({ type: 'file_change', changes: toList(item['changes']).map(change) }),
  mcpToolCall: item => ({
    type: 'mcp_tool_call',
    server: item['server'],
    tool: item['tool'],
    arguments: item['arguments'],
    error: item['error'],
    result: mcpResult(toRecord(item['result'])),
  }),
  webSearch: item => ({ type: 'web_search', query: item['query'], action: item['action'] ?? undefined }),
  collabAgentToolCall: item => ({
    type: 'collab_tool_call',
    tool: snake(item['tool']),
    prompt: item['prompt'],
    receiver_thread_ids: toList(item['receiverThreadIds']),
    agents_states: Object.fromEntries(
      Object.entries(toRecord(item['agentsStates']) ?? {}).map(([id, state]) => [id, agentState(state)]),
    ),
  }),
};

/** A change carries its diff, which `codex exec` does not report. */
function change(value: unknown): unknown {
  const record = toRecord(value);
  if (record === undefined) return value;
  const kind = toRecord(record['kind']);
  return defined({
    path: record['path'],
    kind: kind === undefined ? record['kind'] : kind['type'],
    movePath: toText(kind?.['move_path']),
    diff: toText(record['diff']),
  });
}

function mcpResult(result: WireRecord | undefined): WireRecord | undefined {
  return result && { content: result['content'], structured_content: result['structuredContent'] };
}

function agentState(value: unknown): unknown {
  const state = toRecord(value);
  return state === undefined ? value : { status: snake(state['status']), message: state['message'] };
}

function reasoningText(item: WireRecord): unknown {
  const parts = [item['summary'], item['content']].map(toList).find(list => list.length > 0) ?? [];
  return parts.every(part => typeof part === 'string') ? parts.join('\n\n') : undefined;
}

function snake(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`) : value;
}
