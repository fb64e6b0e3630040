import { defined } from '../../base/defined.ts';
import type { EventOf } from '../../events/vocabulary.ts';
import { visibleText } from '../../base/terminal-text.ts';
import { findCommand } from '../activity/call-operations.ts';
import { changesOfDiff, type FileChange } from '../activity/diff-changes.ts';
import { changeFields, listFileChanges } from '../activity/file-changes.ts';
import { possibleAnswers } from '../possible-answers.ts';
import type { RelayEntry } from '../relay-book.ts';
import { findCommandRisks } from './command-risk.ts';
import { isOutsideFolder } from './outside-folder.ts';
import { pathName } from './path-name.ts';
import { type CallPlace, oneLine, presentCall } from './present-call.ts';

type Relay = EventOf<'relay'>;
type Permission = Extract<Relay, { relayKind: 'permission' }>;

/** One possible answer, with its key and its label; `remember` is the scope of an approval. */
export interface AnswerChoice {
  readonly outcome: 'approve' | 'reject' | 'revise' | 'answer';
  readonly remember?: 'thread' | 'category';
  readonly key: string;
  readonly label: string;
}

/** A value that a person reads by its name, whole. */
export interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** The display of a relay: the exact action, its reason, its irreversible effects and the possible answers. */
export interface RelayPresentation {
  readonly title: string;
  /** The question on one line, for lists and notifications. */
  readonly summary: string;
  /** The shell line that would run, exactly. */
  readonly command?: string;
  readonly changes: readonly FileChange[];
  /** A change that is not understood, as it was written. */
  readonly patch?: string;
  /** The arguments that nothing above shows. */
  readonly fields: readonly NamedValue[];
  /** The plan, as Markdown. */
  readonly plan?: string;
  readonly options: readonly { readonly label: string; readonly description?: string | undefined }[];
  readonly isMultiple: boolean;
  /** Why the agent wants it, in its own words. */
  readonly reason?: string;
  /** Its effects that cannot be undone; an answer given by habit, such as Enter, must not approve them. */
  readonly risks: readonly string[];
  /** The possible answers, in the order in which they are offered. */
  readonly answers: readonly AnswerChoice[];
}

/** Returns what a person reads of a relay. */
export function presentRelay(relay: Relay, place: CallPlace = {}): RelayPresentation {
  const answers = presentAnswers(relay);
  const nothing = { changes: [], fields: [], options: [], isMultiple: false, risks: [], answers };
  switch (relay.relayKind) {
    case 'permission':
      return { ...nothing, ...presentPermission(relay, place) };
    case 'question': {
      const { question, options = [], selectionMode } = relay;
      const isMultiple = selectionMode === 'multi_select';
      return { ...nothing, title: question, summary: oneLine(question), options, isMultiple };
    }
    case 'plan': {
      const title = planTitle(relay);
      const heading =
        relay.title ??
        relay.plan
          .trim()
          .replace(/^#+\s*/, '')
          .split('\n', 1)[0] ??
        '';
      return { ...nothing, title, summary: oneLine(`Approve this plan? ${heading}`), plan: relay.plan };
    }
    case 'access': {
      const { path } = relay.params;
      const object = typeof path === 'string' ? ` ${pathName(visibleText(path), place.cwd)}` : '';
      const title = 'Allow this access?';
      return { ...nothing, title, summary: oneLine(title + object), fields: listFields(relay.params) };
    }
    case 'suspension': {
      const title = `${relay.tool} waits for you`;
      const fields = listFields(asFields(relay.payload ?? relay.params ?? {}));
      return { ...nothing, title, summary: oneLine(`${title} ${fields.map(({ value }) => value).join(' ')}`), fields };
    }
    default:
      return relay satisfies never;
  }
}

function presentPermission(
  relay: Permission,
  place: CallPlace,
): Pick<RelayPresentation, 'title' | 'summary' | 'command' | 'changes' | 'patch' | 'fields' | 'reason' | 'risks'> {
  const { tool, params, diff, reason } = relay;
  const named = ` (${oneLine(visibleText(tool), 40)})`;
  const call = { name: tool, input: params, agentId: place.agentId };
  const command = relay.command ?? findCommand(call);
  if (command !== undefined) {
    const fields =
      relay.command === undefined
        ? listFields(without(params, name => [params[name]].flat().join('\n') === command))
        : [];
    const risks = [...guarded(relay), ...findCommandRisks(command, place.cwd)];
    return {
      title: `Run this command?${named}`,
      summary: `Run $ ${oneLine(visibleText(command))}`,
      command,
      changes: [],
      fields,
      risks,
      ...defined({ reason }),
    };
  }
  const changes = (diff === undefined ? listFileChanges(call) : changesOfDiff(diff)).filter(isKnown);
  const patch = diff !== undefined && changes.length === 0 ? diff : undefined;
  const { kind, verb, object } = presentCall({ name: tool, input: visibleInput(params) }, place);
  const title =
    changes.length > 0 || patch !== undefined
      ? changeTitle(changes, place) + named
      : kind === 'other'
        ? `Use ${oneLine(visibleText(tool), 40)}?`
        : `${verb} ${object}?${named}`;
  const isShown = changes.length > 0 || patch !== undefined;
  const fields = listFields(isShown ? without(params, name => changeFields.has(name)) : params);
  const values = fields.map(({ value }) => oneLine(visibleText(value), 60)).join(' ');
  return {
    title,
    summary: kind === 'other' && !isShown ? oneLine(`${title} ${values}`) : title,
    changes,
    fields: diff === undefined ? fields : [],
    risks: [
      ...guarded(relay),
      ...changeRisks(changes, place.cwd),
      ...(verb === 'Delete' && !isShown ? [`deletes ${object}`] : toolRisks(tool)),
    ],
    ...defined({ patch, reason }),
  };
}

function isKnown({ patch, edits, content, action, moveTo }: FileChange): boolean {
  return action === 'delete' || moveTo !== undefined || content !== undefined || (edits ?? patch) !== undefined;
}

const changeVerbs = { add: 'Write', update: 'Edit', delete: 'Delete' } as const;

/** Names the file of a change when it is the only one. */
function changeTitle(changes: readonly FileChange[], { cwd }: CallPlace): string {
  const [only, ...others] = changes;
  if (only === undefined || others.length > 0 || only.moveTo !== undefined) return 'Make this change?';
  const verb = changeVerbs[only.content === undefined ? only.action : 'add'];
  return `${verb} ${visibleText(pathName(only.path, cwd))}?`;
}

function changeRisks(changes: readonly FileChange[], cwd: string | undefined): readonly string[] {
  return changes.flatMap(({ action, path }) => {
    if (action === 'delete') return [`deletes ${pathName(path, cwd)}`];
    return isOutsideFolder(path, cwd) ? [`writes ${pathName(path, cwd)}`] : [];
  });
}

/** The risk of a tool of which only the name is known. */
function toolRisks(tool: string): readonly string[] {
  return /(?:^|[^a-z])(?:delete|remove|destroy|drop)(?:[^a-z]|$)/i.test(tool.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_'))
    ? ['deletes something, by its name']
    : [];
}

function guarded({ personOnly }: Permission): readonly string[] {
  return personOnly === true ? ['a rule that denies may be meant for it'] : [];
}

/** The title of a plan, unless the plan begins with it. */
function planTitle({ title, plan }: Extract<Relay, { relayKind: 'plan' }>): string {
  const [first = ''] = plan.trimStart().split('\n', 1);
  const isRepeated = title === undefined || first.replace(/^#+\s*/, '').trim() === title.trim();
  return isRepeated ? 'Approve this plan?' : `Approve this plan? ${title}`;
}

/** The ways to answer a relay, in the order in which they are offered. */
function presentAnswers(relay: Relay): readonly AnswerChoice[] {
  const can = new Set(possibleAnswers(relay));
  const approve = (choices: readonly AnswerChoice[]) => (can.has('approve') ? choices : []);
  const reject: AnswerChoice = { outcome: 'reject', key: 'n', label: 'reject' };
  const others = can.has('reject') ? [reject] : [];
  switch (relay.relayKind) {
    case 'permission': {
      const thread: AnswerChoice = { outcome: 'approve', remember: 'thread', key: 't', label: 'this thread' };
      const category: AnswerChoice = { outcome: 'approve', remember: 'category', key: 'c', label: 'always' };
      const remembered = relay.personOnly === true ? [] : [thread, ...(relay.category === undefined ? [] : [category])];
      const edit: AnswerChoice = { outcome: 'revise', key: 'e', label: 'edit' };
      return [
        ...approve([{ outcome: 'approve', key: 'y', label: 'once' }, ...remembered]),
        ...(can.has('revise') ? [edit] : []),
        ...others,
      ];
    }
    case 'access':
      return [
        ...approve([
          { outcome: 'approve', key: 'y', label: 'allow' },
          { outcome: 'approve', remember: 'thread', key: 't', label: 'this thread' },
        ]),
        ...others,
      ];
    case 'plan':
      return [
        ...approve([{ outcome: 'approve', key: 'y', label: 'approve and carry out' }]),
        ...(can.has('reject') ? [{ ...reject, label: 'reject with comments' }] : []),
      ];
    case 'suspension':
      return [...approve([{ outcome: 'approve', key: 'y', label: 'approve' }]), ...others];
    case 'question':
      return [{ outcome: 'answer', key: 'e', label: 'writes an answer' }];
    default:
      return relay satisfies never;
  }
}

/** Returns which later calls an answer allows without asking, in words. */
export function presentGrant(relay: Relay, { remember }: Pick<EventOf<'relay_resolved'>, 'remember'>): string {
  if (relay.relayKind === 'permission') {
    if (remember === 'category' && relay.category !== undefined) return `every ${relay.category} call`;
    return presentRelay(relay).command ?? `every call of ${visibleText(relay.tool)}`;
  }
  return presentRelay(relay).summary;
}

/** Returns the status of a relay in words: the decision, its author and the reason. */
export function presentAnswer({ relay, answer, status, reason }: Omit<RelayEntry, 'id' | 'runId' | 'since'>): string {
  if (status === 'pending') return 'waits for you';
  const why = answer?.feedback === undefined || answer.feedback === '' ? '' : `: ${answer.feedback}`;
  if (reason === 'expired') return 'Nobody answered in time';
  if (reason === 'cancelled') return `Withdrawn${why}`;
  if (answer === undefined) return 'Not answered: the run ended';
  const by = answer.by === undefined ? '' : ` by ${answer.by}`;
  const given = answer.answer === undefined ? why : `: ${[answer.answer].flat().join(', ')}`;
  return `${outcomeWords(relay, answer)}${by}${given}`;
}

function outcomeWords({ relayKind }: Relay, { outcome, remember }: EventOf<'relay_resolved'>): string {
  if (outcome === 'revise') return relayKind === 'permission' ? 'Approved with a changed input' : 'Changes asked for';
  if (outcome === 'approve' && remember === 'thread') return 'Approved for this thread';
  if (outcome === 'approve' && remember === 'category') return 'Approved always';
  return { approve: 'Approved', reject: 'Rejected', answer: 'Answered', expired: '', cancelled: '' }[outcome];
}

function listFields(params: Readonly<Record<string, unknown>>): readonly NamedValue[] {
  return Object.entries(params).map(([name, value]) => ({
    name,
    value: typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? ''),
  }));
}

function without(params: Permission['params'], isShown: (name: string) => boolean): Permission['params'] {
  return Object.fromEntries(Object.entries(params).filter(([name]) => !isShown(name)));
}

function visibleInput(params: Permission['params']): Permission['params'] {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? visibleText(value) : value]),
  );
}

function asFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : { value };
}
