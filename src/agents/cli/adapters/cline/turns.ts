import type { ChildRuns } from '../../shared/child-runs.ts';
import type { LineContext } from '../../shared/line-context.ts';
import { type WireRecord, toCount, toNumber, toRecord, remainder, toText } from '../../shared/wire-value.ts';
import type { Kind, Speaker, Speakers } from './speakers.ts';
import { readToolOutput, readUsage } from './wire.ts';

interface TurnsOptions {
  readonly context: LineContext;
  readonly children: ChildRuns;
  readonly speakers: Speakers;
  /** Whether teammates are working: the stream repeats their unmarked records in marked form. */
  readonly hasMates: () => boolean;
  /** Ends the run of a subagent or teammate. */
  readonly end: (speaker: Speaker, reason: 'complete' | 'error', answer?: string) => void;
}

/**
 * Translates the turns of agents: reasoning, text, tool calls and usage. Each method returns whether it understood the
 * record.
 */
export class ClineTurns {
  readonly #context: LineContext;
  readonly #options: TurnsOptions;
  /** Whether usage of the main agent was reported. */
  hasUsage = false;

  constructor(options: TurnsOptions) {
    this.#context = options.context;
    this.#options = options;
  }

  iterationStart(event: WireRecord, mate: Speaker | undefined): boolean {
    const iteration = toNumber(event['iteration']) ?? 0;
    const speaker = mate ?? this.#options.speakers.ofIteration(iteration);
    speaker.iteration = iteration;
    speaker.message++;
    speaker.part = 0;
    speaker.streams.clear();
    this.#context.step({ runId: speaker.runId, callId: `m${speaker.message}` });
    return true;
  }

  contentStart(event: WireRecord, mate: Speaker | undefined): boolean {
    const { contentType } = event;
    if (contentType === 'tool') return this.#call(event, mate);
    if (contentType !== 'text' && contentType !== 'reasoning') return false;
    const delta = event[contentType];
    if (typeof delta !== 'string') return false;
    const total = toText(event['accumulated'])?.length;
    this.#write(mate ?? this.#options.speakers.ofFragment(contentType, delta.length, total), contentType, delta);
    return true;
  }

  contentEnd(event: WireRecord, mate: Speaker | undefined): boolean {
    const { contentType } = event;
    if (contentType === 'tool') return this.#result(event, mate);
    if (contentType !== 'text' && contentType !== 'reasoning') return false;
    const whole = event[contentType];
    if (typeof whole !== 'string') return false;
    const speaker = mate ?? this.#options.speakers.ofText(contentType, whole);
    const streamed = speaker.streams.get(contentType)?.text ?? '';
    const rest = remainder(streamed, whole);
    if (rest === undefined) speaker.streams.delete(contentType);
    this.#write(speaker, contentType, rest ?? whole, contentType === 'text');
    speaker.streams.delete(contentType);
    const child = speaker.key === undefined ? undefined : this.#options.children.get(speaker.key);
    if (child !== undefined && contentType === 'text') child.lastText = whole;
    return true;
  }

  usage(event: WireRecord, mate: Speaker | undefined): boolean {
    const { speakers, hasMates } = this.#options;
    const usage = readUsage(event);
    if (usage === undefined) return toCount(event['inputTokens']) !== undefined;
    const inputTotal = toCount(event['totalInputTokens']) ?? 0;
    const outputTotal = toCount(event['totalOutputTokens']) ?? 0;
    const found = mate ?? speakers.ofTotals(inputTotal - usage.inputTokens, outputTotal - usage.outputTokens);
    if (found === undefined && hasMates()) return true;
    const speaker = found ?? speakers.free();
    speaker.inputTotal = inputTotal;
    speaker.outputTotal = outputTotal;
    this.hasUsage ||= speaker === speakers.main;
    this.#context.emit({ type: 'usage', runId: speaker.runId, ...usage, callId: `m${speaker.message}` });
    return true;
  }

  #write(speaker: Speaker, type: Kind, content: string, isFinal = false): void {
    if (content === '' && !(isFinal && speaker.streams.has(type))) return;
    const stream = speaker.streams.get(type) ?? { part: speaker.part++, text: '' };
    speaker.streams.set(type, stream);
    stream.text += content;
    const { runId, message } = speaker;
    const fields = { runId, id: `${runId}/m${message}/${stream.part}`, content, callId: `m${message}` };
    this.#context.emit(type === 'text' ? { type, ...fields, final: isFinal } : { type, ...fields });
  }

  #call(event: WireRecord, mate: Speaker | undefined): boolean {
    const rawId = toText(event['toolCallId']);
    const name = toText(event['toolName']);
    if (rawId === undefined || name === undefined) return false;
    const speaker = mate ?? this.#options.speakers.ofCall();
    const { runId } = speaker;
    const call = speaker.calls.add(rawId, { runId, name, input: event['input'] ?? {} });
    speaker.waiting++;
    const mateName = name === 'team_run_task' ? toText(toRecord(call.input)?.['agentId']) : undefined;
    if (mateName !== undefined) speaker.tasks.set(mateName, call.id);
    if (name === 'spawn_agent') speaker.spawns.add(call.id);
    this.#context.emit({ type: 'tool_call', runId, id: call.id, name, input: call.input });
    this.#context.emit({ type: 'tool_start', runId, id: call.id, name });
    return true;
  }

  #result(event: WireRecord, mate: Speaker | undefined): boolean {
    const rawId = toText(event['toolCallId']);
    if (rawId === undefined) return false;
    const speaker = mate ?? this.#options.speakers.ofResult(rawId);
    const call = speaker.calls.settle(rawId);
    if (call === undefined || call === 'ambiguous') return false;
    const { id, runId, name } = call;
    speaker.waiting--;
    speaker.spawns.delete(id);
    const output = readToolOutput(event, name);
    const spawned = this.#options.speakers.ofSpawn(id);
    if (spawned !== undefined) {
      const { result } = 'context' in output ? output : {};
      const isFailed = toRecord(result)?.['finishReason'] === 'error';
      if ('context' in output)
        this.#options.end(spawned, isFailed ? 'error' : 'complete', isFailed ? toText(output.context) : undefined);
      else this.#options.end(spawned, 'error', 'error' in output ? output.error : output.reason);
    }
    this.#context.emit({ type: 'tool_result', runId, id, name, output });
    return true;
  }
}
