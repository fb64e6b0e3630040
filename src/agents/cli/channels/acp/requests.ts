import type { ChannelHost, LiveAnswer, LiveRequest } from '../../contract/live-channel.ts';
import { listOf, recordOf, textOf, type WireRecord } from '../../shared/wire-value.ts';
import { readPathFields } from '../../../permissions/path-fields.ts';
import { contentDiffs, pathsOf } from './call-content.ts';
import type { AskedCall } from './calls.ts';
import type { AcpRequest } from './connection.ts';
import { formFields } from './elicitation.ts';
import type { AcpProfile, AskedQuestion } from './profile.ts';
import type { AcpTurn } from './turn.ts';
import { unifiedDiff } from '../../../workspace/unified-diff.ts';
import { defined } from '../../../../events/defined.ts';

/** A request of the program that waits for a person: one or more requests of the host. */
interface Waiting {
  readonly ids: readonly string[];
  /** Handles an answer; returns whether the request of the program is answered. */
  answer(id: string, answer: LiveAnswer): boolean;
  /** Answers that nothing may be done. */
  cancel(reason?: string): void;
}

interface RequestsOptions {
  readonly host: ChannelHost;
  readonly profile: AcpProfile;
  readonly isYolo: boolean;
  /** The session, to read the plan files of. */
  readonly sessionId: () => string;
}

const cancelled = { outcome: { outcome: 'cancelled' } };

const categories: Readonly<Record<string, string>> = {
  read: 'read',
  search: 'read',
  edit: 'edit',
  delete: 'edit',
  move: 'edit',
  execute: 'execute',
  fetch: 'network',
};

/** Turns requests of the program into requests to a person, and answers into answers of the protocol. */
export class AcpRequests {
  readonly #options: RequestsOptions;
  readonly #waiting = new Map<string, Waiting>();
  #count = 0;

  constructor(options: RequestsOptions) {
    this.#options = options;
  }

  /** Handles `session/request_permission`; `emit` passes on the events so far. Returns whether it understood it. */
  permission(request: AcpRequest, turn: AcpTurn, emit: () => void): boolean {
    const params = recordOf(request.params);
    const toolCall = recordOf(params?.['toolCall']);
    const options = readOptions(params?.['options']);
    const asked = options === undefined ? undefined : turn.calls.ask(toolCall);
    if (options === undefined || asked === undefined) {
      request.respond(cancelled);
      return false;
    }
    const { profile, isYolo } = this.#options;
    const questions = profile.questionsOf?.(asked.fields);
    const plan = profile.planOf?.(asked.fields, [...options.keys()]);
    if (profile.refused?.has(asked.open.name) === true && !isYolo) this.#refuse(request, { turn, asked, options });
    else if (questions !== undefined) this.#questions(request, { turn, asked, options, questions }, emit);
    else if (plan !== undefined) this.#plan(request, { turn, asked, options, plan }, emit);
    else this.#permission(request, { turn, asked, options, toolCall: toolCall ?? {} }, emit);
    return true;
  }

  /** Handles `elicitation/create`. Returns whether it understood it. */
  elicitation(request: AcpRequest, runId: string): boolean {
    const fields = formFields(recordOf(request.params) ?? {});
    if (fields === undefined) {
      request.respond({ action: 'decline' });
      return false;
    }
    this.#ask(
      request,
      { runId, questions: fields.map(({ question }) => question) },
      {
        accept: answers => {
          const content = Object.fromEntries(
            fields.map((field, index) => [field.name, field.valueOf(answers[index] ?? '')]),
          );
          request.respond({ action: 'accept', content });
        },
        reject: () => request.respond({ action: 'decline' }),
        cancel: () => request.respond({ action: 'cancel' }),
      },
    );
    return true;
  }

  answer(id: string, answer: LiveAnswer): void {
    const waiting = this.#waiting.get(id);
    if (waiting?.answer(id, answer) === true) this.#close(waiting, id);
  }

  /** Answers everything that is open: nothing may be done. Requests of the host are withdrawn when a reason is given. */
  cancelAll(withdrawal?: string): void {
    for (const waiting of new Set(this.#waiting.values())) {
      waiting.cancel();
      if (withdrawal === undefined) for (const id of waiting.ids) this.#waiting.delete(id);
      else this.#close(waiting, undefined, withdrawal);
    }
  }

  #close(waiting: Waiting, answered: string | undefined, reason = 'Another answer has settled it.'): void {
    for (const id of waiting.ids)
      if (this.#waiting.delete(id) && id !== answered) this.#options.host.withdraw(id, reason);
  }

  #open(request: AcpRequest, waiting: Waiting, requests: readonly LiveRequest[]): void {
    for (const id of waiting.ids) this.#waiting.set(id, waiting);
    request.signal.addEventListener('abort', () => {
      if (!this.#waiting.has(waiting.ids[0] ?? '')) return;
      waiting.cancel();
      this.#close(waiting, undefined, 'The agent no longer waits for the answer.');
    });
    for (const asked of requests) if (this.#waiting.has(asked.id)) this.#options.host.request(asked);
  }

  #refuse(request: AcpRequest, { turn, asked, options }: Asked): void {
    const reason = `Subagents of ${this.#options.profile.name} would run without asking, so they are switched off.`;
    this.#reject(request, { turn, asked, options }, reason);
    turn.context.emit({ type: 'warning', message: reason, code: 'subagents_off' });
  }

  #permission(request: AcpRequest, asked: Asked & { readonly toolCall: WireRecord }, emit: () => void): void {
    const id = this.#nextId();
    const allow = allowOption(asked.options);
    const waiting: Waiting = {
      ids: [id],
      answer: (_, answer) => {
        if (answer.outcome === 'approve' && allow !== undefined) request.respond(selected(allow));
        else if (answer.outcome === 'cancelled') waiting.cancel(answer.feedback);
        else this.#reject(request, asked, 'feedback' in answer ? answer.feedback : undefined);
        return true;
      },
      cancel: reason => this.#cancel(request, asked, reason),
    };
    emit();
    this.#open(request, waiting, [{ id, ...this.#describe(asked) }]);
  }

  #describe({
    asked,
    toolCall,
  }: Asked & { readonly toolCall: WireRecord }): Omit<LiveRequest & { kind: 'permission' }, 'id'> {
    const { open, fields } = asked;
    const { calls } = this.#options.profile;
    const requested = recordOf(toolCall['rawInput']) ?? {};
    // The request may repeat the arguments in another form; where both have a field, the request counts.
    const input = { ...asked.input, ...requested };
    const kept = new Set(readPathFields(input).found.map(({ path }) => path));
    const replaced = readPathFields(asked.input).found.filter(({ path }) => !kept.has(path));
    const paths = [...pathsOf(fields), ...replaced.map(({ path }) => path)];
    return {
      kind: 'permission',
      runId: open.runId,
      toolCallId: open.id,
      tool: open.name,
      input,
      ...defined({
        category: categories[fields.kind ?? ''],
        command: calls.commandOf?.(requested, open.name) ?? calls.commandOf?.(input, open.name),
        paths: paths.length === 0 ? undefined : paths,
        diff: unifiedDiff(contentDiffs(fields.content)) ?? textOf(requested['diff'])?.trimStart(),
        reason: calls.reasonOf?.(fields, input),
      }),
      canRevise: false,
    };
  }

  #plan(
    request: AcpRequest,
    asked: Asked & { readonly plan: NonNullable<ReturnType<NonNullable<AcpProfile['planOf']>>> },
    emit: () => void,
  ): void {
    const id = this.#nextId();
    const { plan, path, optionId } = asked.plan;
    const { readPlan } = this.#options.profile;
    const written = path === undefined ? undefined : asked.turn.calls.written(path);
    const text = plan ?? (path && readPlan?.(path, this.#options.sessionId())) ?? written;
    const waiting: Waiting = {
      ids: [id],
      answer: (_, answer) => {
        if (answer.outcome === 'approve') request.respond(selected(optionId));
        else if (answer.outcome === 'cancelled') waiting.cancel(answer.feedback);
        else this.#reject(request, asked, 'feedback' in answer ? answer.feedback : undefined);
        return true;
      },
      cancel: reason => this.#cancel(request, asked, reason),
    };
    emit();
    const { runId, id: toolCallId } = asked.asked.open;
    this.#open(request, waiting, [
      { id, kind: 'plan', runId, toolCallId, plan: text ?? `The plan is in ${path ?? 'a file'}.` },
    ]);
  }

  #questions(
    request: AcpRequest,
    asked: Asked & { readonly questions: readonly AskedQuestion[] },
    emit: () => void,
  ): void {
    const { open } = asked.asked;
    emit();
    this.#ask(
      request,
      { runId: open.runId, toolCallId: open.id, questions: asked.questions },
      {
        accept: answers => {
          const texts = answers.map(answer => (typeof answer === 'string' ? answer : answer.join(', ')));
          const allow = allowOption(asked.options);
          if (allow === undefined) request.respond(cancelled);
          else request.respond({ ...selected(allow), answers: Object.fromEntries(texts.entries()) });
        },
        reject: reason => this.#reject(request, asked, reason),
        cancel: reason => this.#cancel(request, asked, reason),
      },
    );
  }

  /** Asks several questions at once; one that is not answered settles all of them. */
  #ask(
    request: AcpRequest,
    asked: { readonly runId: string; readonly toolCallId?: string; readonly questions: readonly AskedQuestion[] },
    settle: {
      readonly accept: (answers: readonly (string | readonly string[])[]) => void;
      readonly reject: (reason?: string) => void;
      readonly cancel: (reason?: string) => void;
    },
  ): void {
    const { questions, ...about } = asked;
    const ids = questions.map(() => this.#nextId());
    const answers = new Map<string, string | readonly string[]>();
    const waiting: Waiting = {
      ids,
      answer: (id, answer) => {
        if (answer.outcome === 'answer') answers.set(id, answer.answer);
        else if (answer.outcome === 'cancelled') settle.cancel(answer.feedback);
        else settle.reject('feedback' in answer ? answer.feedback : undefined);
        if (answer.outcome !== 'answer') return true;
        if (answers.size < ids.length) {
          this.#waiting.delete(id);
          return false;
        }
        settle.accept(ids.map(each => answers.get(each) ?? ''));
        return true;
      },
      cancel: reason => settle.cancel(reason),
    };
    const requests = questions.map(({ question, options, multiple }, index): LiveRequest => {
      const choice = { options, selectionMode: multiple ? ('multi_select' as const) : ('single_select' as const) };
      return { id: ids[index] as string, kind: 'question', ...about, question, ...(options.length > 0 && choice) };
    });
    this.#open(request, waiting, requests);
  }

  #reject(request: AcpRequest, { turn, asked, options }: Asked, reason: string | undefined): void {
    const optionId = optionOf(options, 'reject_once');
    request.respond(optionId === undefined ? cancelled : selected(optionId));
    turn.calls.reject(asked.fields.rawId, reason, this.#options.profile.reportsRejected);
  }

  #cancel(request: AcpRequest, { turn, asked }: Asked, reason: string | undefined): void {
    request.respond(cancelled);
    turn.calls.reject(asked.fields.rawId, reason, this.#options.profile.reportsRejected);
  }

  #nextId(): string {
    return `acp-${++this.#count}`;
  }
}

/** The options of a request by id, with their kinds. */
type Options = ReadonlyMap<string, string>;

interface Asked {
  readonly turn: AcpTurn;
  readonly asked: AskedCall;
  readonly options: Options;
}

function selected(optionId: string): { outcome: { outcome: 'selected'; optionId: string } } {
  return { outcome: { outcome: 'selected', optionId } };
}

function readOptions(value: unknown): Options | undefined {
  const options = listOf(value).flatMap((item): [string, string][] => {
    const { optionId, kind } = recordOf(item) ?? {};
    return typeof optionId === 'string' && typeof kind === 'string' ? [[optionId, kind]] : [];
  });
  return options.length === 0 ? undefined : new Map(options);
}

function optionOf(options: Options, kind: string): string | undefined {
  return [...options].find(([, each]) => each === kind)?.[0];
}

/** The option that allows a call once and changes no setting. */
function allowOption(options: Options): string | undefined {
  return options.get('proceed_once') === 'allow_once' ? 'proceed_once' : optionOf(options, 'allow_once');
}
