import { acpTranslator, isAcpMessage } from '../../channels/acp/acp-translator.ts';
import { eitherTranslator } from '../../shared/channel-translator.ts';
import { ChildRuns } from '../../shared/child-runs.ts';
import type { LineContext } from '../../shared/line-context.ts';
import { lineTranslator, type RecordReader } from '../../shared/line-translator.ts';
import { readableError } from '../../shared/readable-error.ts';
import type { Translator, TranslatorOptions } from '../../contract/translator.ts';
import { toNumber, toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import { clineProfile } from './live.ts';
import { LegacyRecords } from './legacy.ts';
import { Speaker, Speakers } from './speakers.ts';
import { ClineTurns } from './turns.ts';
import { readUsage } from './wire.ts';

/** Translates the output of `cline --json`, the flat records before version 3, or the messages of `cline --acp`. */
export function clineTranslator(options: TranslatorOptions): Translator {
  const print = lineTranslator(options, context => new ClineReader(context));
  return eitherTranslator(print, acpTranslator(clineProfile, options), isAcpMessage);
}

/** Handles a record; returns whether it understood it. */
type On = Readonly<Record<string, (record: WireRecord, mate: Speaker | undefined) => boolean>>;

const understood = () => true;

class ClineReader implements RecordReader {
  readonly #context: LineContext;
  readonly #children: ChildRuns;
  readonly #speakers: Speakers;
  readonly #turns: ClineTurns;
  #legacy: LegacyRecords | undefined;
  /** The working teammates, by name. */
  readonly #mates = new Map<string, Speaker>();
  /** The last intermediate error. */
  #mistake: string | undefined;

  constructor(context: LineContext) {
    this.#context = context;
    this.#children = new ChildRuns(context);
    this.#speakers = new Speakers(context.runId);
    this.#turns = new ClineTurns({
      context,
      children: this.#children,
      speakers: this.#speakers,
      hasMates: () => this.#mates.size > 0,
      end: (speaker, reason, answer) => this.#end(speaker, reason, answer),
    });
  }

  take(record: WireRecord): void {
    const sessionId = toText(record['sessionId']) ?? toText(record['session_id']) ?? toText(record['id']);
    if (sessionId !== undefined && this.#context.sessionId === undefined) this.#context.session(sessionId);
    if (!dispatch(this.#on, record) && !this.#takeLegacy(record)) this.#context.unknown(record);
  }

  flush(): void {
    this.#legacy?.flush();
    this.#children.flush();
  }

  #takeLegacy(record: WireRecord): boolean {
    this.#legacy ??= new LegacyRecords(this.#context);
    return this.#legacy.take(record);
  }

  readonly #on: On = {
    run_start: understood,
    hook_event: record => {
      this.#hook(record);
      return true;
    },
    agent_event: record => dispatch(this.#onAgent, toRecord(record['event'])),
    team_event: record => dispatch(this.#onTeam, toRecord(record['event'])),
    run_result: record => this.#result(record),
    run_aborted: record => {
      if (this.#context.failure === undefined)
        this.#context.fail({ message: toText(record['message']) ?? 'The run was aborted.', code: 'aborted' });
      return true;
    },
  };

  readonly #onAgent: On = {
    iteration_start: (event, mate) => this.#turns.iterationStart(event, mate),
    iteration_end: understood,
    content_start: (event, mate) => this.#turns.contentStart(event, mate),
    content_update: understood,
    content_end: (event, mate) => this.#turns.contentEnd(event, mate),
    usage: (event, mate) => this.#turns.usage(event, mate),
    done: (event, mate) => {
      const speaker = mate ?? this.#speakers.ofEnd();
      const isComplete = event['reason'] === 'completed';
      const text = toText(event['text']);
      // A failed subagent without text fails with the result of its call, which contains the reason.
      if (mate === undefined && (isComplete || text !== undefined))
        this.#end(speaker, isComplete ? 'complete' : 'error', text);
      return true;
    },
    error: (event, mate) => this.#error(event, mate),
  };

  readonly #onTeam: On = {
    teammate_spawned: understood,
    teammate_shutdown: understood,
    team_task_updated: understood,
    team_mission_log: understood,
    team_message: understood,
    run_queued: understood,
    run_started: understood,
    run_progress: understood,
    run_completed: understood,
    run_failed: understood,
    run_cancelled: understood,
    run_interrupted: understood,
    task_start: event => this.#mate(event) !== undefined,
    agent_event: event => {
      const mate = this.#mate(event);
      return mate !== undefined && dispatch(this.#onAgent, toRecord(event['event']), mate);
    },
    task_end: event => {
      const mate = this.#mates.get(toText(event['agentId']) ?? '');
      const answer = toText(toRecord(event['result'])?.['text']) ?? toText(toRecord(event['error'])?.['message']);
      if (mate === undefined) return false;
      const isComplete = event['status'] === 'completed';
      this.#end(mate, isComplete ? 'complete' : 'error', answer ?? (isComplete ? undefined : mate.failure));
      return true;
    },
  };

  /** Hooks are bookkeeping: they only attribute the records that follow. */
  #hook(record: WireRecord): void {
    const agentId = toText(record['agentId']);
    const parentId = toText(record['parentAgentId']);
    const name = record['hookEventName'];
    const speaker = this.#speakers.ofAgent(agentId);
    if (name === 'agent_start' && agentId !== undefined && parentId === undefined) this.#speakers.start(agentId);
    else if (name === 'agent_start' && agentId !== undefined && speaker === undefined) this.#spawn(agentId, parentId);
    else if (name === 'tool_call') this.#speakers.expect('call', speaker);
    else if (name === 'tool_result') this.#speakers.expect('result', speaker);
    else if (name === 'agent_end' || name === 'agent_error') this.#speakers.expect('end', speaker);
  }

  #spawn(id: string, parentId: string | undefined): void {
    const parent = this.#speakers.ofAgent(parentId) ?? this.#speakers.main;
    const [callId = `${parent.runId}/${id}`] = parent.spawns;
    parent.spawns.delete(callId);
    const { runId } = this.#children.start(id, { id, parentId: callId });
    this.#speakers.add(id, new Speaker(runId, id, callId));
  }

  /** Returns the working teammate and starts its work if necessary. */
  #mate(event: WireRecord): Speaker | undefined {
    const name = toText(event['agentId']);
    if (name === undefined) return undefined;
    const working = this.#mates.get(name);
    if (working !== undefined) return working;
    const key = `team/${name}`;
    const { main } = this.#speakers;
    const parentId = main.tasks.get(name) ?? `${main.runId}/${name}`;
    const { runId } = this.#children.start(key, { id: name, parentId, agentId: name });
    const mate = new Speaker(runId, key);
    this.#mates.set(name, mate);
    return mate;
  }

  #end(speaker: Speaker, reason: 'complete' | 'error', answer?: string): void {
    if (speaker.key === undefined) return;
    this.#children.end(speaker.key, reason, answer);
    this.#speakers.remove(speaker);
    for (const [name, mate] of this.#mates) if (mate === speaker) this.#mates.delete(name);
  }

  /** The results of failed calls carry their errors; only an error that ends the agent is an error of its run. */
  #error(event: WireRecord, mate: Speaker | undefined): boolean {
    const message = toText(toRecord(event['error'])?.['message']) ?? toText(event['error']);
    if (message === undefined) return false;
    if (event['recoverable'] === true) {
      this.#mistake = message;
      return true;
    }
    const speaker = mate ?? this.#speakers.ofEnd();
    const code = event['errorClass'] === 'unknown' ? undefined : toText(event['errorClass']);
    if (speaker === this.#speakers.main) this.#context.fail({ message: readableError(message), code });
    else if (mate === undefined) this.#end(speaker, 'error', readableError(message));
    else mate.failure = readableError(message);
    return true;
  }

  #result(record: WireRecord): boolean {
    this.#context.finished = true;
    const usage = this.#turns.hasUsage ? undefined : readUsage(toRecord(record['usage']));
    if (usage !== undefined) this.#context.emit({ type: 'usage', ...usage });
    const finish = toText(record['finishReason']);
    if (finish === undefined) return false;
    if (finish === 'completed') return true;
    const reported = finish === 'error' ? toText(record['text']) : undefined;
    const stopped = `Cline stopped (${finish}) after ${toNumber(record['iterations']) ?? '?'} iterations`;
    const message = this.#mistake === undefined ? `${stopped}.` : `${stopped}: ${this.#mistake}`;
    const reason = finish === 'max_iterations' ? 'max_iterations' : 'error';
    const code = finish === 'error' ? undefined : finish;
    this.#context.fail({ message: reported === undefined ? message : readableError(reported), reason, code });
    return true;
  }
}

function dispatch(on: On, record: WireRecord | undefined, mate?: Speaker): boolean {
  const type = toText(record?.['type']);
  if (record === undefined || type === undefined || !Object.hasOwn(on, type)) return false;
  return (on[type] as On[string])(record, mate);
}
