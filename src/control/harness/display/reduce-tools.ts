import { defined } from '../../../base/defined.ts';
import { patchSections } from '../../../projections/activity/patch-files.ts';
import type { DisplayOnlyEvent, ProjectedEvent } from '../harness-event.ts';
import { notApproved } from '../messages/tool-outcome.ts';
import type { ActiveSubagentState, ActiveToolState, ModifiedFile, SubagentNames } from './display-state.ts';
import type { DisplayView } from './display-view.ts';
import { SharedMap } from './shared-map.ts';

type Change = Partial<DisplayView>;
type EventOf<Type extends string> = Extract<ProjectedEvent | DisplayOnlyEvent, { type: Type }>;

/** Tools that modify the file in their `path` argument when they succeed, without the prefix of Mastra's workspace. */
const writingTools: ReadonlySet<string> = new Set([
  'write',
  'edit',
  'write_file',
  'edit_file',
  'string_replace_lsp',
  'ast_smart_edit',
]);

/** The display changes of tool events. The maps contain only calls of the current turn. */
export const onTool = {
  tool_input_start: (state: DisplayView, { toolCallId, toolName }: EventOf<'tool_input_start'>): Change => ({
    toolInputBuffers: new Map(state.toolInputBuffers).set(toolCallId, { text: '', toolName }),
    activeTools: state.activeTools.with(toolCallId, { name: toolName, args: {}, status: 'streaming_input' }),
  }),
  tool_input_delta: (state: DisplayView, { toolCallId, argsTextDelta }: EventOf<'tool_input_delta'>): Change =>
    changed('toolInputBuffers', state, toolCallId, buffer => ({ ...buffer, text: buffer.text + argsTextDelta })),
  tool_input_end: (state: DisplayView, { toolCallId }: EventOf<'tool_input_end'>): Change => {
    if (!state.toolInputBuffers.has(toolCallId)) return {};
    const toolInputBuffers = new Map(state.toolInputBuffers);
    toolInputBuffers.delete(toolCallId);
    return { toolInputBuffers };
  },
  tool_start: (state: DisplayView, { toolCallId, toolName, args }: EventOf<'tool_start'>): Change => {
    const tool: ActiveToolState = { ...state.activeTools.get(toolCallId), name: toolName, args, status: 'running' };
    return { activeTools: state.activeTools.with(toolCallId, tool) };
  },
  tool_revised: (state: DisplayView, { toolCallId, args }: EventOf<'tool_revised'>): Change =>
    changed('activeTools', state, toolCallId, tool => ({ ...tool, args })),
  tool_update: (state: DisplayView, { toolCallId, partialResult }: EventOf<'tool_update'>): Change =>
    changed('activeTools', state, toolCallId, tool => ({ ...tool, partialResult: toText(partialResult) })),
  shell_output: (state: DisplayView, { toolCallId, output }: EventOf<'shell_output'>): Change =>
    changed('activeTools', state, toolCallId, tool => ({ ...tool, shellOutput: (tool.shellOutput ?? '') + output })),
  tool_end: (state: DisplayView, { toolCallId, result, isError }: EventOf<'tool_end'>, at: Date): Change => {
    const tool = state.activeTools.get(toolCallId);
    if (tool === undefined) return {};
    const ended: ActiveToolState = { ...tool, status: isError ? 'error' : 'completed', result, isError };
    return {
      activeTools: state.activeTools.with(toolCallId, ended),
      ...(!isError && result !== notApproved && modified(state.modifiedFiles, tool, at)),
    };
  },
  subagent_start: (state: DisplayView, event: EventOf<'subagent_start'>, _at: Date, names: SubagentNames): Change => {
    const { toolCallId, agentType, task, modelId, forked } = event;
    const displayName = names.get(agentType);
    const subagent: ActiveSubagentState = {
      agentType,
      ...defined({ displayName }),
      task,
      modelId,
      toolCalls: [],
      textDelta: '',
      status: 'running',
      ...defined({ forked }),
    };
    return { activeSubagents: state.activeSubagents.with(toolCallId, subagent) };
  },
  subagent_text_delta: (state: DisplayView, { toolCallId, textDelta }: EventOf<'subagent_text_delta'>) =>
    changed('activeSubagents', state, toolCallId, of => ({ ...of, textDelta: of.textDelta + textDelta })),
  subagent_tool_start: (state: DisplayView, { toolCallId, subToolName }: EventOf<'subagent_tool_start'>) =>
    changed('activeSubagents', state, toolCallId, of => ({
      ...of,
      toolCalls: [...of.toolCalls, { name: subToolName, isError: false }],
    })),
  subagent_tool_end: (state: DisplayView, event: EventOf<'subagent_tool_end'>): Change =>
    event.isError
      ? changed('activeSubagents', state, event.toolCallId, of => ({
          ...of,
          toolCalls: withError(of.toolCalls, event.subToolName),
        }))
      : {},
  subagent_end: (state: DisplayView, event: EventOf<'subagent_end'>): Change => {
    const { toolCallId, isError, durationMs, result } = event;
    const status: ActiveSubagentState['status'] = isError ? 'error' : 'completed';
    return changed('activeSubagents', state, toolCallId, of => ({ ...of, status, durationMs, result }));
  },
};

/** Marks the calls that were still running when the agent ended as failed. */
export function stoppedTools(tools: DisplayView['activeTools']): DisplayView['activeTools'] {
  let stopped = tools;
  for (const [id, tool] of tools)
    if (tool.status === 'running' || tool.status === 'streaming_input')
      stopped = stopped.with(id, { ...tool, status: 'error' });
  return stopped;
}

type MapField = 'activeTools' | 'toolInputBuffers' | 'activeSubagents';
type Entry<Field extends MapField> = NonNullable<ReturnType<DisplayView[Field]['get']>>;

/** Changes one entry of a map field; returns no change when the entry is missing. */
function changed<Field extends MapField>(
  field: Field,
  state: DisplayView,
  id: string,
  change: (entry: Entry<Field>) => Entry<Field>,
): Change {
  const entries = state[field] as unknown as Entries<Entry<Field>>;
  const entry = entries.get(id);
  return entry === undefined ? {} : { [field]: withEntry(entries, id, change(entry)) };
}

type Entries<Value> = SharedMap<Value> | Map<string, Value>;

/** The inputs that are being streamed are few: their map is copied. */
function withEntry<Value>(entries: Entries<Value>, id: string, value: Value): Entries<Value> {
  return entries instanceof SharedMap ? entries.with(id, value) : new Map(entries).set(id, value);
}

function withError(calls: ActiveSubagentState['toolCalls'], name: string): ActiveSubagentState['toolCalls'] {
  const index = calls.findLastIndex(call => call.name === name && !call.isError);
  return index < 0 ? calls : calls.with(index, { name, isError: true });
}

function modified(files: SharedMap<ModifiedFile>, { name, args }: ActiveToolState, at: Date): Change {
  let modifiedFiles = files;
  for (const path of writtenPaths(name, args)) {
    const { operations, firstModified } = modifiedFiles.get(path) ?? { operations: [], firstModified: at };
    modifiedFiles = modifiedFiles.with(path, { operations: [...operations, name], firstModified });
  }
  return modifiedFiles === files ? {} : { modifiedFiles };
}

function writtenPaths(toolName: string, args: unknown): readonly string[] {
  const { path, patch } = Object(args) as { readonly path?: unknown; readonly patch?: unknown };
  const name = toolName.replace(/^mastra_workspace_/, '');
  if (writingTools.has(name)) return typeof path === 'string' ? [path] : [];
  return name === 'patch' && typeof patch === 'string' ? patchSections(patch).map(section => section.path) : [];
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
