import type { ToolOutput } from '../../../../events/tools.ts';
import { ChildRuns, endingRuns } from '../../shared/child-runs.ts';
import { dropOldest } from '../../../drop-oldest.ts';
import type { LineContext } from '../../shared/line-context.ts';
import type { OpenCall } from '../../shared/open-calls.ts';
import { toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import { readFailure, type ToolMeta } from './wire.ts';

type EndReason = 'complete' | 'error' | 'aborted';

const ended: ReadonlyMap<string, EndReason> = new Map([
  ['completed', 'complete'],
  ['failed', 'error'],
  ['cancelled', 'aborted'],
]);

/** The runs of subagents: `delegate` starts one; its result ends it, or `load` for a background subagent. */
export class GooseSubagents {
  readonly #context: LineContext;
  readonly #children: ChildRuns;
  /** The calls with background subagents, by session. */
  readonly #background = new Map<string, string>();

  constructor(context: LineContext) {
    this.#context = context;
    this.#children = new ChildRuns(context);
  }

  /** Registers a tool call. */
  called(rawId: string, { id: parentId, name, input }: OpenCall): void {
    if (toTool(name) !== 'delegate') return;
    const asked = toRecord(input);
    const agentId = toText(asked?.['source']);
    this.#children.start(rawId, { id: rawId, parentId, agentId, model: toText(asked?.['model']) });
  }

  /** Registers a tool result and returns it; a failed subagent's answer is its error. */
  answered(rawId: string, call: OpenCall, { output, meta }: { output: ToolOutput; meta: ToolMeta }): ToolOutput {
    const tool = toTool(call.name);
    const text = 'context' in output && typeof output.context === 'string' ? output.context : '';
    if (tool === 'load') return endingRuns(output, this.#loaded(meta, text));
    if (tool !== 'delegate') return output;
    if (!('context' in output)) {
      this.#children.end(rawId, 'error', 'error' in output ? output.error : output.reason);
      return output;
    }
    const { sessionId } = meta;
    const reported = sessionId === undefined ? output : { ...output, result: { sessionId } };
    if (toRecord(call.input)?.['async'] === true && sessionId !== undefined) {
      this.#background.set(sessionId, rawId);
      dropOldest(this.#background);
      return reported;
    }
    const error = readFailure(text);
    this.#children.end(rawId, error === undefined ? 'complete' : 'error', error ?? text);
    return error === undefined ? reported : { error };
  }

  /** Progress of the program during a tool call is not parsed from prose; it belongs to the subagent of the call. */
  notified(rawId: string, record: WireRecord): void {
    const runId = this.#children.get(rawId)?.runId ?? this.#context.runId;
    this.#context.emit({ type: 'unknown', runId, raw: record });
  }

  flush(): void {
    this.#children.flush();
  }

  /** Ends the background subagent whose result was loaded; returns its session when it was running. */
  #loaded({ sessionId, status }: ToolMeta, text: string): string[] {
    const key = sessionId === undefined ? undefined : this.#background.get(sessionId);
    const reason = ended.get(status ?? '');
    if (sessionId === undefined || key === undefined || reason === undefined) return [];
    const answer = text.split('\n## Output\n\n').slice(1).join('\n## Output\n\n') || text;
    const error = readFailure(answer);
    return this.#children.end(key, error === undefined ? reason : 'error', error ?? answer) ? [sessionId] : [];
  }
}

/** The tool name without its extension. */
function toTool(name: string): string {
  return name.replace(/^summon__/, '');
}
