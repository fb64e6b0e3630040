import { textOfContent } from '../../events/content-text.ts';
import { defined } from '../../base/defined.ts';
import type { ContentPart } from '../../events/content.ts';
import type { EventOf, LoggedEvent } from '../../events/vocabulary.ts';
import type { ToolOutput } from '../../events/tools.ts';
import { addUsage, noUsage, type UsageCounts } from '../../events/usage-sum.ts';
import { type Conversation, createConversation, reduceConversation } from '../../graph/conversation/conversation.ts';
import { defaultActive } from '../../graph/conversation/active.ts';
import { getChunk, getChunks, getMessage, getRun } from '../../graph/conversation/queries.ts';
import { type OutputImage, outputView } from '../../projections/presentation/call-output.ts';
import { type ReadBlock, readBlocks } from '../../projections/reading/project-thread.ts';
import type { CallStatus, RelayPart, ReplPart, ToolPart, ViewNode } from '../../projections/reading/view-node.ts';
import { atifVersion, type AtifStep, type AtifTrajectory } from './atif-schema.ts';
import type { ThreadDocument } from './thread-document.ts';

type Content = AtifStep['message'];
type ToolCall = NonNullable<AtifStep['tool_calls']>[number];
type Result = NonNullable<AtifStep['observation']>['results'][number];
type Embedded = NonNullable<AtifTrajectory['subagent_trajectories']>[number];
/** Stores an image next to the document and returns its path. */
export type SaveImage = (image: OutputImage) => string;

const rasters = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;

/**
 * Returns the active branch of a thread in the Agent Trajectory Interchange Format: one step for each model call, with
 * its calls and their results; runs of subagents are separate trajectories. Without `saveImage` an image is only named
 * in the text, because the format cannot contain its bytes.
 */
export function toAtif({ events, threadId, version }: ThreadDocument, saveImage?: SaveImage): AtifTrajectory {
  const conversation = events.reduce(reduceConversation, createConversation());
  const writer = new TrajectoryWriter(conversation, events, { version, saveImage });
  const { messages } = defaultActive(conversation);
  const runId = messages.findLast(id => getMessage(conversation, id)?.role === 'assistant');
  const own = writer.write(messages, runId);
  const range = defined({ fromSeq: events[0]?.seq, toSeq: events.at(-1)?.seq });
  const unknown = events.filter(({ type }) => type === 'unknown').length;
  return {
    ...own,
    session_id: threadId,
    trajectory_id: runId ?? threadId,
    extra: { singletree: { threadId, version, ...range, ...(unknown > 0 && { unknown }) } },
    ...(writer.embedded.length > 0 && { subagent_trajectories: writer.embedded }),
  };
}

/** The tool calls of a model call and their results. */
interface Done {
  readonly calls: ToolCall[];
  readonly results: Result[];
}

interface CallFacts {
  readonly model: string | undefined;
  readonly used: UsageCounts | undefined;
}

type ToolDescription = Readonly<Record<string, unknown>>;
type Own = Pick<AtifTrajectory, 'schema_version' | 'agent' | 'steps' | 'final_metrics'>;

class TrajectoryWriter {
  readonly embedded: Embedded[] = [];
  readonly #embedded = new Set<string>();
  readonly #conversation: Conversation;
  readonly #options: { readonly version: string; readonly saveImage: SaveImage | undefined };
  readonly #contexts = new Map<string, EventOf<'model_context'>>();
  readonly #tools = new Map<string, ToolDescription>();
  readonly #stepStarts = new Map<string, EventOf<'step_start'>>();

  constructor(
    conversation: Conversation,
    events: readonly LoggedEvent[],
    options: { readonly version: string; readonly saveImage: SaveImage | undefined },
  ) {
    this.#conversation = conversation;
    this.#options = options;
    for (const event of events)
      if (event.type === 'step_start') this.#stepStarts.set(stepKey(event.runId, event.step), event);
      else if (event.type === 'model_context') {
        this.#contexts.set(event.id, event);
        for (const { id, tool } of event.tools) if (tool !== undefined) this.#tools.set(id, tool);
      }
  }

  /** Writes messages as one trajectory; the one of `runId` names the agent. */
  write(messageIds: readonly string[], runId: string | undefined): Own {
    const steps = new Steps();
    let context: EventOf<'model_context'> | undefined;
    let usage = noUsage;
    for (const messageId of messageIds) {
      for (const read of readBlocks(this.#conversation, messageId)) {
        const begun = this.#stepStart(read);
        const sent = begun?.contextId === undefined ? undefined : this.#contexts.get(begun.contextId);
        if (sent?.instructions !== undefined && sent.instructions !== context?.instructions)
          steps.add({ source: 'system', message: sent.instructions });
        context = sent ?? context;
        const used = this.#usage(read);
        if (used !== undefined) usage = addUsage(usage, used);
        this.#addBlock(steps, read, { model: begun?.model, used });
      }
      this.#addEnd(steps, messageId);
    }
    const list = steps.list.length > 0 ? steps.list : [{ step_id: 1, source: 'system' as const, message: '' }];
    return {
      schema_version: atifVersion,
      agent: this.#agent(runId, context),
      steps: list,
      final_metrics: {
        total_prompt_tokens: usage.inputTokens,
        total_completion_tokens: usage.outputTokens,
        ...defined({ total_cached_tokens: usage.cacheReadTokens, total_cost_usd: usage.cost }),
        total_steps: list.length,
      },
    };
  }

  #agent(runId: string | undefined, context: EventOf<'model_context'> | undefined): AtifTrajectory['agent'] {
    const run = runId === undefined ? undefined : getRun(this.#conversation, runId);
    const tools = (context?.tools ?? []).flatMap<ToolDescription>(({ id }) => this.#tools.get(id) ?? []);
    return {
      name: run?.agentId ?? 'unknown',
      // Only our own agents log what they send: the version of an external program is not in the log.
      version: context === undefined ? 'unknown' : this.#options.version,
      ...defined({ model_name: run?.model }),
      ...(tools.length > 0 && { tool_definitions: tools.map(toDefinition) }),
    };
  }

  #stepStart({ block: { messageId, step } }: ReadBlock): EventOf<'step_start'> | undefined {
    return step === undefined ? undefined : this.#stepStarts.get(stepKey(messageId, step));
  }

  #usage({ block }: ReadBlock): UsageCounts | undefined {
    const found = getChunks(this.#conversation, block.id).flatMap(({ event }) => (event.type === 'usage' ? event : []));
    return found.length === 0 ? undefined : found.reduce<UsageCounts>(addUsage, noUsage);
  }

  #addBlock(steps: Steps, { block, parts }: ReadBlock, { model, used }: CallFacts): void {
    const texts = { text: '', reasoning: '' };
    const done: Done = { calls: [], results: [] };
    let timestamp: string | undefined;
    for (const part of parts) {
      const time = getChunk(this.#conversation, part.id)?.event.ts;
      if (part.kind === 'user') {
        const message = this.#content(part.content);
        steps.add({ source: 'user', ...defined({ timestamp: time }), message });
      } else if (part.kind === 'text' || part.kind === 'reasoning') texts[part.kind] += part.text;
      else if (part.kind === 'tool') this.#addCall(done, part);
      else if (part.kind === 'repl') this.#addExecution(done, part);
      else if (part.kind === 'run') done.results.push({ subagent_trajectory_ref: this.#embed(part.runs) });
      else if (part.kind === 'fact' && part.event.type === 'summary') addSummary(steps, part.event);
      else continue;
      timestamp ??= time;
    }
    const { calls, results } = done;
    const isSilent = texts.text === '' && texts.reasoning === '' && calls.length === 0;
    if (isSilent && results.length === 0 && used === undefined) return;
    const isModelCall = used !== undefined || block.step !== undefined;
    steps.add({
      source: 'agent',
      ...defined({ timestamp }),
      message: texts.text,
      ...defined({ model_name: model }),
      ...(texts.reasoning !== '' && { reasoning_content: texts.reasoning }),
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(results.length > 0 && { observation: { results } }),
      ...(used !== undefined && { metrics: toMetrics(used) }),
      ...((isModelCall || isSilent) && { llm_call_count: isModelCall ? 1 : 0 }),
    });
  }

  #addCall({ calls, results }: Done, part: ToolPart): void {
    const { id, name, input, inputText, output, laterOutputs, relays, runs } = part;
    const outputs = [output, ...laterOutputs].filter(each => each !== undefined);
    const isCall = 'input' in part || inputText !== '';
    if (isCall) {
      const asked = relays.map(describeAnswer);
      calls.push({
        tool_call_id: id,
        function_name: name,
        arguments: toArguments(input ?? inputText),
        ...(asked.length > 0 && { extra: { singletree: { relay: asked.length === 1 ? asked[0] : asked } } }),
      });
    }
    const source = isCall ? { source_call_id: id } : {};
    const started = runs.length === 0 ? {} : { subagent_trajectory_ref: this.#embed(runs) };
    const contents =
      outputs.length === 0 ? [withoutResult[part.status] ?? 'No result.'] : outputs.map(each => this.#output(each));
    for (const [index, content] of contents.entries())
      results.push({ ...source, content, ...(index === 0 && started) });
  }

  #addExecution({ calls, results }: Done, { id, code, printed, output, runs }: ReplPart): void {
    const source = code === undefined ? {} : { source_call_id: id };
    if (code !== undefined) calls.push({ tool_call_id: id, function_name: 'repl', arguments: { code } });
    const shown = output?.stdout ?? printed.map(({ text }) => text).join('');
    const content = [shown, output?.error].filter(text => text !== undefined && text !== '').join('\n');
    const started = runs.length === 0 ? {} : { subagent_trajectory_ref: this.#embed(runs) };
    results.push({ ...source, content, ...started });
  }

  /** Writes each run once as a separate trajectory and returns the references to them. */
  #embed(runs: readonly ViewNode[]): { trajectory_id: string }[] {
    return runs.map(({ id }) => {
      if (!this.#embedded.has(id)) {
        this.#embedded.add(id);
        const place = this.embedded.length;
        const own = this.write([id], id);
        this.embedded.splice(place, 0, { ...own, trajectory_id: id });
      }
      return { trajectory_id: id };
    });
  }

  /** Returns how a run ended, unless it completed. */
  #addEnd(steps: Steps, messageId: string): void {
    const run = getRun(this.#conversation, messageId);
    if (run === undefined || run.status === 'complete') return;
    const last = steps.list.at(-1);
    const target = last?.source === 'agent' ? last : steps.add({ source: 'agent', message: '', llm_call_count: 0 });
    target.extra = { singletree: { end: run.status } };
  }

  #output(output: ToolOutput): Content {
    const { text, images } = outputView(output);
    return this.#withImages(text, images);
  }

  #content(content: string | readonly ContentPart[]): Content {
    if (typeof content === 'string') return content;
    const files = content.flatMap(part => (part.type === 'file' ? [`[file: ${part.filename ?? part.mediaType}]`] : []));
    const images = content.flatMap(part => (part.type === 'image' ? [part] : []));
    return this.#withImages([textOfContent(content), ...files].filter(text => text !== '').join('\n'), images);
  }

  #withImages(text: string, images: readonly OutputImage[]): Content {
    if (images.length === 0) return text;
    const parts = images.map(image => {
      const type = rasters.find(raster => raster === image.mediaType);
      if (type === undefined) return { type: 'text' as const, text: `[image: ${image.mediaType}]` };
      const path = /^https?:/.test(image.data) ? image.data : this.#options.saveImage?.(image);
      if (path === undefined) return { type: 'text' as const, text: `[image: ${type}]` };
      return { type: 'image' as const, source: { media_type: type, path } };
    });
    return text === '' ? parts : [{ type: 'text', text }, ...parts];
  }
}

/** The steps of a trajectory, numbered from 1. */
class Steps {
  readonly list: AtifStep[] = [];

  add(step: Omit<AtifStep, 'step_id'>): AtifStep {
    const added = { step_id: this.list.length + 1, ...step };
    this.list.push(added);
    return added;
  }
}

/** The placeholder text for a call without a result, by its status. */
const withoutResult: Partial<Record<CallStatus, string>> = {
  waiting: 'No result yet: a person was asked.',
  running: 'No result yet: it was running.',
  preparing: 'The call was not completed.',
  skipped: 'The call was not carried out.',
  unknown: 'Interrupted: the outcome is not known.',
};

function addSummary(steps: Steps, { text, kind, tokens, coveredTokens, active }: EventOf<'summary'>): void {
  if (active === false) return;
  const facts = { type: kind, ...defined({ tokens, coveredTokens }) };
  steps.add({ source: 'system', message: text, extra: { context_management: facts } });
}

/** Returns the answer of a relay, or its status. */
function describeAnswer({ relay, answer, status }: RelayPart): Record<string, unknown> {
  const waited = answer === undefined ? Number.NaN : Date.parse(answer.ts ?? '') - Date.parse(relay.ts ?? '');
  return {
    outcome: answer?.outcome ?? status,
    ...defined({ by: answer?.by, waited_ms: Number.isNaN(waited) ? undefined : waited }),
  };
}

/** Arguments are an object in this format. */
function toArguments(input: unknown): Record<string, unknown> {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  return isObject ? { ...input } : { input };
}

function toMetrics({ inputTokens, outputTokens, cacheReadTokens, cost, ...rest }: UsageCounts): AtifStep['metrics'] {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    ...defined({ cached_tokens: cacheReadTokens, cost_usd: cost }),
    ...(Object.keys(rest).length > 0 && { extra: rest }),
  };
}

/** Returns a tool as OpenAI describes a function. */
function toDefinition(tool: ToolDescription): Record<string, unknown> {
  const { name, description, inputSchema } = tool;
  return { type: 'function', function: { name, ...defined({ description, parameters: inputSchema }) } };
}

function stepKey(runId: string, step: number): string {
  return `${runId}\u0000${step}`;
}
