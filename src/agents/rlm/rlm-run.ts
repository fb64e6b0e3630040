import { defined } from '../../base/defined.ts';
import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import { errorText } from '../../base/error-text.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { RunState } from '../../projections/run-state.ts';
import type { InvokeParams } from '../contract/agent.ts';
import { Background } from '../subagents/background.ts';
import { EventChannel } from '../run/event-channel.ts';
import { stopWith } from '../run/stop-with.ts';
import type { EndReason } from '../loop/loop.ts';
import { endedBy, failureEvent } from '../model/call/failure.ts';
import { EmittedContexts } from '../model/call/model-context.ts';
import { type ModelStepResult, modelStep } from '../model/call/model-step.ts';
import { RetryPolicy } from '../model/call/retry.ts';
import { endOpenRuns } from '../subagents/child-run.ts';
import { steeredMessages } from '../steered-messages.ts';
import { parseCode } from '../../projections/model-input/code-fences.ts';
import { conclude } from './instructions.ts';
import type { RlmAgentOptions } from './rlm-agent-options.ts';
import { type RlmScope, type RlmSetting, rlmSetting } from './rlm-setting.ts';
import { replLost, RlmTranscript } from '../../projections/model-input/rlm-transcript.ts';
import type { CellOutcome } from './sandbox.ts';

const cellUnknown =
  'The outcome of this code is unknown: the process ended while it ran. It was not run again, and all variables are gone.';
const callUnknown = 'The outcome of this call is unknown: the process ended before there was one.';
const variablesLost = 'The REPL was started anew: all variables are gone, `context` is as it was.';

/** One run: the model writes code, the code runs and the model reads its output, until it returns an answer. */
export class RlmRun {
  readonly #options: RlmAgentOptions;
  readonly #params: InvokeParams;
  readonly #scope: RlmScope;
  readonly #channel = new EventChannel();
  readonly #background: Background;
  readonly #transcript: RlmTranscript;
  readonly #retry: RetryPolicy;
  readonly #maxIterations: number;
  /** The contexts that the run emitted. */
  readonly #contexts: EmittedContexts;
  #setting: RlmSetting | undefined;
  #output: unknown;

  constructor(options: RlmAgentOptions, params: InvokeParams, scope: RlmScope) {
    this.#options = options;
    this.#params = params;
    this.#scope = scope;
    const { runId, signal } = params.run;
    const { messages } = params.conversation;
    this.#background = new Background(runId, signal);
    this.#transcript = new RlmTranscript({ runId, history: messages, maxShownLength: scope.limits.maxShownLength });
    this.#retry = new RetryPolicy(options.retry);
    this.#contexts = new EmittedContexts(params.run);
    this.#maxIterations = options.maxIterations ?? 30;
  }

  /** Runs everything between the first and the last event of the run; returns the reason it ended. */
  async *run(): AsyncGenerator<AgentEvent, EndReason> {
    const { runId, signal } = this.#params.run;
    try {
      this.#setting = await rlmSetting({
        options: this.#options,
        params: this.#params,
        scope: this.#scope,
        channel: this.#channel,
        background: this.#background,
      });
      this.#setting.sandbox.start();
      const reason = yield* this.#run(this.#setting);
      if (this.#background.isActive) yield* this.#channel.until(this.#background.stop());
      return reason;
    } catch (error) {
      if (signal.aborted) return 'aborted';
      const code = SingletreeError.is(error) ? error.code : 'agent_failed';
      const message = errorText(error);
      yield { type: 'error', runId, message, code, fatal: true };
      return 'error';
    }
  }

  /** The value of the answer, when it is no string. */
  get output(): unknown {
    return this.#output;
  }

  /** Stops everything that is still running. */
  async close(): Promise<void> {
    this.#channel.leave();
    await this.#setting?.sandbox.close();
  }

  async *#run(setting: RlmSetting): AsyncGenerator<AgentEvent, EndReason> {
    const { signal, resume, runId } = this.#params.run;
    let step = 0;
    if (resume !== undefined) {
      const next = yield* this.#resume(setting, resume);
      if (typeof next === 'string') return next;
      step = next;
    }
    for (; ; step++) {
      if (signal.aborted) return 'aborted';
      yield* this.#takeSteering();
      const stepping = this.#step(setting, step);
      yield* this.#channel.until(stepping);
      const result = await stepping;
      if (result.ended === 'aborted') return 'aborted';
      if (result.ended === 'failed') {
        yield failureEvent(runId, result.failure);
        return endedBy(result.failure);
      }
      const ended = yield* this.#finishStep(setting, step);
      if (ended !== undefined) return ended;
    }
  }

  /** Resumes the step that the run was in. Returns the number of the next step, or the reason the run ended. */
  async *#resume(setting: RlmSetting, state: RunState): AsyncGenerator<AgentEvent, number | EndReason> {
    for (const event of state.events) this.#transcript.add(event);
    const last = state.events.at(-1);
    if (last?.type === 'error' && last.fatal === true) return 'error';
    const { cell } = this.#transcript;
    if (cell !== undefined && cell.output === undefined) {
      yield* this.#closeCell(state, cell.input);
      return state.step + 1;
    }
    if (cell?.output?.done === true) return yield* this.#answer(cell.output, last);
    if (state.events.some(event => event.type === 'repl_output'))
      yield* this.#emit({ type: 'warning', runId: state.runId, code: replLost, message: variablesLost });
    if (cell !== undefined) return state.step + 1;
    if (!state.stepComplete) return Math.max(0, state.step);
    const ended = yield* this.#finishStep(setting, state.step, state.steered);
    return ended ?? state.step + 1;
  }

  /** Ends a cell that another process was running. */
  async *#closeCell(
    { runId, events, calls, children }: RunState,
    { id, iteration }: EventOf<'repl_input'>,
  ): AsyncGenerator<AgentEvent> {
    for (const child of [...children.values()].flat())
      if (child.endedBy === undefined)
        yield* this.#channel.until(endOpenRuns(child, event => this.#channel.put(event)));
    for (const { call, done } of calls.values())
      if (!done) yield { type: 'tool_result', runId, id: call.id, name: call.name, output: { error: callUnknown } };
    const printed = (event: AgentEvent) =>
      event.type === 'repl_progress' && event.id === id && event.stream === 'stdout' ? event.chunk : '';
    yield* this.#emit({
      type: 'repl_output',
      runId,
      id,
      stdout: events.map(printed).join(''),
      error: cellUnknown,
      done: false,
      ...defined({ iteration }),
    });
  }

  #step({ model, instructions }: RlmSetting, step: number): Promise<ModelStepResult> {
    const { runId, signal, resume } = this.#params.run;
    const { spending, answers } = this.#params.host;
    const { registry, settings } = this.#options;
    const last = step >= this.#maxIterations;
    // An attempt of another process at this step is not sent to the model.
    this.#transcript.add({ type: 'step_start', runId, step });
    const messages = this.#transcript.messages();
    const resumedFrom = resume?.step === step ? resume.events : undefined;
    const retry = this.#retry;
    const request = {
      runId,
      step,
      model,
      messages,
      instructions: last ? `${instructions}\n\n${conclude}` : instructions,
      settings,
      record: this.#contexts.nextStep({ maxShownLength: this.#scope.limits.maxShownLength }),
      registry,
      signal,
      spending,
      answers,
      retry,
      resumedFrom,
    };
    const kept = (event: AgentEvent) => {
      this.#transcript.add(event);
      return event;
    };
    return modelStep(request, {
      put: event => this.#channel.put(kept(event)),
      pass: event => this.#channel.pass(kept(event)),
    });
  }

  /** Runs the code of a step; returns the reason the run ended, or undefined when it continues. */
  async *#finishStep(
    setting: RlmSetting,
    step: number,
    steered = false,
  ): AsyncGenerator<AgentEvent, EndReason | undefined> {
    if (this.#params.run.signal.aborted) return 'aborted';
    if (step >= this.#maxIterations) return 'max_iterations';
    const { code } = parseCode(this.#transcript.answer);
    if (code !== undefined) return yield* this.#runCell(setting, step, code);
    if (steered || (yield* this.#takeSteering())) return undefined;
    return this.#transcript.nudged ? 'complete' : undefined;
  }

  async *#runCell(setting: RlmSetting, step: number, code: string): AsyncGenerator<AgentEvent, EndReason | undefined> {
    const { runId, signal } = this.#params.run;
    const id = `${runId}/cell_${step}`;
    yield* this.#emit({ type: 'repl_input', runId, id, code, iteration: step });
    let stdout = '';
    let outcome: CellOutcome | undefined;
    const print = (chunk: string, stream: 'stdout' | 'stderr') => {
      if (stream === 'stdout') stdout += chunk;
      void this.#channel.put({ type: 'repl_progress', runId, id, chunk, stream });
    };
    const work = this.#execute(setting, { id, code, print }).then(
      ended => void (outcome = ended),
      () => {},
    );
    for await (const event of this.#channel.until(work)) {
      if (event.type === 'tool_result' && event.runId === runId) setting.tools.take(event);
      if (event.runId === runId) this.#transcript.add(event);
      yield event;
    }
    if (outcome === undefined || signal.aborted) return 'aborted';
    const { error, final, structured, truncated, durationMs } = outcome;
    const output: EventOf<'repl_output'> = {
      type: 'repl_output',
      runId,
      id,
      stdout,
      ...defined({ error }),
      done: final !== undefined,
      iteration: step,
      durationMs: Math.round(durationMs),
      ...(truncated && { truncated }),
      // The answer is stored with the output, so that it survives a crash at this point.
      ...defined({ final, structured }),
    };
    yield* this.#emit(output);
    return output.done ? yield* this.#answer(output, output) : undefined;
  }

  /** Runs code and the calls it made to their end; ends its queries. Rejects when the run is stopped. */
  async #execute(
    { sandbox, queries, tools }: RlmSetting,
    { id, code, print }: { id: string; code: string; print: (chunk: string, stream: 'stdout' | 'stderr') => void },
  ): Promise<CellOutcome> {
    const stop = stopWith(this.#params.run.signal);
    const { signal } = stop;
    const calls = new Set<Promise<unknown>>();
    const call = (name: string, args: readonly unknown[]) => {
      const calling = name === 'llm_query' ? queries.ask(args, { parentId: id, signal }) : tools.call(name, args, id);
      calls.add(calling);
      const forget = () => calls.delete(calling);
      calling.then(forget, forget);
      return calling;
    };
    try {
      return await sandbox.run(code, { print, call });
    } finally {
      stop.abort();
      await Promise.allSettled(calls);
    }
  }

  /** Emits the answer that code returned, unless it was emitted before. */
  async *#answer(
    { runId, id, final = '', structured }: EventOf<'repl_output'>,
    last: AgentEvent | undefined,
  ): AsyncGenerator<AgentEvent, EndReason> {
    if (structured === true) this.#output = JSON.parse(final);
    const text: EventOf<'text'> = { type: 'text', runId, id: `${id}:final`, content: final };
    if (text.content !== '' && !(last?.type === 'text' && last.id === text.id)) yield* this.#emit(text);
    return 'complete';
  }

  /** Adds user messages and subagent results that arrived since the last step; returns whether there were any. */
  async *#takeSteering(): AsyncGenerator<AgentEvent, boolean> {
    const events = [...steeredMessages(this.#params), ...this.#background.take()];
    for (const event of events) yield* this.#emit(event);
    return events.length > 0;
  }

  async *#emit(event: AgentEvent): AsyncGenerator<AgentEvent> {
    this.#transcript.add(event);
    yield event;
  }
}
