import type { ChannelHost, LiveAnswer, LiveRequest } from '../../contract/live-channel.ts';
import { toList, toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import { readPathFields } from '../../../permissions/path-fields.ts';
import { contentDiffs, listPaths } from './call-content.ts';
import { answerReason, type Answers, answerText, RequestBook } from '../request-book.ts';
import type { AskedCall } from './calls.ts';
import type { AcpRequest } from './request.ts';
import { formFields } from './elicitation.ts';
import type { AcpProfile, AskedQuestion, SessionPlace } from './profile.ts';
import type { AcpTurn } from './turn.ts';
import { unifiedDiff } from '../../../workspace/unified-diff.ts';
import { defined } from '../../../../base/defined.ts';

/** How a request of the program is answered. */
interface Reply {
  /** The outcome of every question that accepts the request; any other rejects or cancels it. */
  readonly accepted: 'approve' | 'answer';
  readonly accept: (answers: Answers) => void;
  readonly reject: (reason?: string) => void;
  /** Answers that nothing may be done. */
  readonly cancel: (reason?: string) => void;
}

interface RequestsOptions {
  readonly host: ChannelHost;
  readonly profile: AcpProfile;
  readonly isYolo: boolean;
  /** The session, to read the plan files of. */
  readonly session: () => SessionPlace;
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

/** Converts requests of the program to requests to the user, and answers to responses of the protocol. */
export class AcpRequests {
  readonly #options: RequestsOptions;
  /** The open requests. */
  readonly book: RequestBook<AcpRequest>;
  #count = 0;

  constructor(options: RequestsOptions) {
    this.#options = options;
    this.book = new RequestBook(options.host);
  }

  /** Handles `session/request_permission`. Returns whether it understood it. */
  permission(request: AcpRequest, turn: AcpTurn): boolean {
    const { params } = request;
    const toolCall = toRecord(params['toolCall']);
    const options = readOptions(params['options']);
    const asked = options === undefined ? undefined : turn.calls.ask(toolCall);
    if (options === undefined || asked === undefined) {
      request.respond(cancelled);
      return false;
    }
    const { profile, isYolo } = this.#options;
    const questions = profile.questionsOf?.(asked.fields);
    const plan = profile.planOf?.(asked.fields, [...options.keys()]);
    if (profile.refused?.has(asked.open.name) === true && !isYolo) this.#refuse(request, { turn, asked, options });
    else if (questions !== undefined) this.#questions(request, { turn, asked, options, questions });
    else if (plan !== undefined) this.#plan(request, { turn, asked, options, plan });
    else this.#permission(request, { turn, asked, options, toolCall: toolCall ?? {} });
    return true;
  }

  /** Handles `elicitation/create`. Returns whether it understood it. */
  elicitation(request: AcpRequest, runId: string): boolean {
    const fields = formFields(request.params);
    if (fields === undefined) {
      request.respond({ action: 'decline' });
      return false;
    }
    const questions = this.#questionsFor(
      { runId },
      fields.map(({ question }) => question),
    );
    this.#open(request, questions, {
      accepted: 'answer',
      accept: answers => {
        const content = fields.map((field, index) => [field.name, field.toValue(givenAnswer(answers[index]))]);
        request.respond({ action: 'accept', content: Object.fromEntries(content) });
      },
      reject: () => request.respond({ action: 'decline' }),
      cancel: () => request.respond({ action: 'cancel' }),
    });
    return true;
  }

  #open(request: AcpRequest, questions: readonly LiveRequest[], { accepted, accept, reject, cancel }: Reply): void {
    this.book.open({
      key: request,
      questions,
      settle: answers => {
        const refusal = answers.find(answer => answer !== undefined && answer.outcome !== accepted);
        const reason = answerReason(refusal);
        if (refusal === undefined) accept(answers);
        else if (refusal.outcome === 'cancelled') cancel(reason);
        else reject(reason);
      },
      cancel: () => cancel(),
    });
  }

  #refuse(request: AcpRequest, { turn, asked, options }: Asked): void {
    const reason = `Subagents of ${this.#options.profile.name} would run without asking, so they are switched off.`;
    this.#reject(request, { turn, asked, options }, reason);
    turn.context.emit({ type: 'warning', message: reason, code: 'subagents_off' });
  }

  #permission(request: AcpRequest, asked: Asked & { readonly toolCall: WireRecord }): void {
    const allow = allowOption(asked.options);
    this.#open(request, [{ id: this.#nextId(), ...this.#describe(asked) }], {
      ...this.#refusals(request, asked),
      accepted: 'approve',
      accept: () => (allow === undefined ? this.#reject(request, asked) : request.respond(selected(allow))),
    });
  }

  #describe({
    asked,
    toolCall,
  }: Asked & { readonly toolCall: WireRecord }): Omit<LiveRequest & { kind: 'permission' }, 'id'> {
    const { open, fields } = asked;
    const { calls } = this.#options.profile;
    const requested = toRecord(toolCall['rawInput']) ?? {};
    // The request may repeat the arguments in another form; where both have a field, the request counts.
    const input = { ...asked.input, ...requested };
    const kept = new Set(readPathFields(input).found.map(({ path }) => path));
    const replaced = readPathFields(asked.input).found.filter(({ path }) => !kept.has(path));
    const paths = [...listPaths(fields), ...replaced.map(({ path }) => path)];
    return {
      kind: 'permission',
      runId: open.runId,
      toolCallId: open.id,
      tool: open.name,
      input,
      ...defined({
        category: categories[fields.kind ?? ''],
        command: this.#shellLine(requested, open.name) ?? this.#shellLine(input, open.name),
        paths: paths.length === 0 ? undefined : paths,
        diff: unifiedDiff(contentDiffs(fields.content)) ?? toText(requested['diff'])?.trimStart(),
        reason: calls.reasonOf?.(fields, input),
      }),
      canRevise: false,
    };
  }

  #shellLine(input: WireRecord, name: string): string | undefined {
    const { calls } = this.#options.profile;
    if (calls.commandOf !== undefined) return calls.commandOf(input);
    return name === calls.shellTool ? toText(input['command']) : undefined;
  }

  #plan(
    request: AcpRequest,
    asked: Asked & { readonly plan: NonNullable<ReturnType<NonNullable<AcpProfile['planOf']>>> },
  ): void {
    const { plan, path, optionId } = asked.plan;
    const { readPlan } = this.#options.profile;
    const written = path === undefined ? undefined : asked.turn.calls.written(path);
    const text = plan ?? (path && readPlan?.(path, this.#options.session())) ?? written;
    const { runId, id: toolCallId } = asked.asked.open;
    const shown = text ?? `The plan is in ${path ?? 'a file'}.`;
    this.#open(request, [{ id: this.#nextId(), kind: 'plan', runId, toolCallId, plan: shown }], {
      ...this.#refusals(request, asked),
      accepted: 'approve',
      accept: () => request.respond(selected(optionId)),
    });
  }

  #questions(request: AcpRequest, asked: Asked & { readonly questions: readonly AskedQuestion[] }): void {
    const { runId, id: toolCallId } = asked.asked.open;
    const allow = allowOption(asked.options);
    this.#open(request, this.#questionsFor({ runId, toolCallId }, asked.questions), {
      ...this.#refusals(request, asked),
      accepted: 'answer',
      accept: answers => {
        const texts = answers.map(answer => answerText(answer) ?? '');
        if (allow === undefined) request.respond(cancelled);
        else request.respond({ ...selected(allow), answers: Object.fromEntries(texts.entries()) });
      },
    });
  }

  #questionsFor(
    about: { readonly runId: string; readonly toolCallId?: string },
    questions: readonly AskedQuestion[],
  ): LiveRequest[] {
    return questions.map(({ question, options, multiple }) => {
      const choice = { options, selectionMode: multiple ? ('multi_select' as const) : ('single_select' as const) };
      return { id: this.#nextId(), kind: 'question', ...about, question, ...(options.length > 0 && choice) };
    });
  }

  /** How a request about a call is rejected and cancelled. */
  #refusals(request: AcpRequest, asked: Asked): Pick<Reply, 'reject' | 'cancel'> {
    return {
      reject: reason => this.#reject(request, asked, reason),
      cancel: reason => this.#cancel(request, asked, reason),
    };
  }

  #reject(request: AcpRequest, { turn, asked, options }: Asked, reason?: string): void {
    const optionId = findOption(options, 'reject_once');
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

/** Returns the user's answer to a question; an empty string without one. */
function givenAnswer(answer: LiveAnswer | undefined): string | readonly string[] {
  return answer?.outcome === 'answer' ? answer.answer : '';
}

function selected(optionId: string): { outcome: { outcome: 'selected'; optionId: string } } {
  return { outcome: { outcome: 'selected', optionId } };
}

function readOptions(value: unknown): Options | undefined {
  const options = toList(value).flatMap((item): [string, string][] => {
    const { optionId, kind } = toRecord(item) ?? {};
    return typeof optionId === 'string' && typeof kind === 'string' ? [[optionId, kind]] : [];
  });
  return options.length === 0 ? undefined : new Map(options);
}

function findOption(options: Options, kind: string): string | undefined {
  return [...options].find(([, each]) => each === kind)?.[0];
}

/** The option that allows a call once and changes no setting. */
function allowOption(options: Options): string | undefined {
  return options.get('proceed_once') === 'allow_once' ? 'proceed_once' : findOption(options, 'allow_once');
}
