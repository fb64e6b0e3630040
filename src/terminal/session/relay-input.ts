import type { ActionName } from '../keys/actions.ts';
import type { ChatApp } from './chat-app.ts';
import { presentRelay } from '../../projections/presentation/present-relay.ts';
import { type Band, followingBand, leaveBand, moveMark, toggleMark } from './relay-band.ts';
import type { PersonAnswer } from './relay-answer.ts';
import type { RelayEntry } from '../../projections/index.ts';

/** Does what a key means for the band; false when it means nothing there. */
export function relayAction(app: ChatApp, action: ActionName): boolean {
  const { band } = app;
  const entry = app.pending.find(({ id }) => id === band?.relayId);
  if (band === undefined || entry === undefined || action.startsWith('relay.enter')) return false;
  const answer = (given: PersonAnswer) => app.attempt(() => app.threads.answer(entry, given));
  const isQuestion = entry.relay.relayKind === 'question';
  const { risks, answers } = presentRelay(entry.relay, { agentId: app.threads.agent.id, cwd: app.options.cwd });
  switch (action) {
    case 'relay.approve':
    case 'relay.approve-thread':
    case 'relay.approve-always': {
      if (isQuestion) break;
      const remember = action === 'relay.approve' ? 'once' : action === 'relay.approve-thread' ? 'thread' : 'category';
      answer({ type: 'approve', remember });
      break;
    }
    case 'relay.choose':
      if (isQuestion) chooseMarked(app, band, entry);
      else if (risks.length > 0 || entry.relay.relayKind === 'plan') app.notice = 'press y to approve this';
      else answer({ type: 'approve', remember: 'once' });
      break;
    case 'relay.reject':
      if (!isQuestion) app.band = { ...band, focus: 'reason' };
      break;
    case 'relay.edit':
      if (isQuestion) app.band = { ...band, focus: 'answer' };
      else if (answers.some(({ outcome }) => outcome === 'revise')) app.attempt(() => revise(app, entry));
      else app.notice = 'this agent takes no changed input: n rejects with a reason';
      break;
    case 'relay.leave':
      app.band = leaveBand(band);
      break;
    case 'relay.next':
      app.band = followingBand(band, app.pending, app.composer);
      break;
    case 'relay.enlarge':
      app.band = { ...band, isLarge: !band.isLarge };
      break;
    case 'relay.up':
    case 'relay.down':
      app.band = moveMark(band, action === 'relay.up' ? -1 : 1, optionsOf(entry).length);
      break;
    case 'relay.toggle':
      app.band = toggleMark(band);
      break;
    default:
      return false;
  }
  return true;
}

/** Takes a digit as the choice of an option; false when it is none. */
export function answerText(app: ChatApp, band: Band, text: string): boolean {
  const entry = app.pending.find(({ id }) => id === band.relayId);
  const number = /^[1-9]$/.test(text) ? Number(text) - 1 : -1;
  if (entry === undefined || optionsOf(entry)[number] === undefined) return false;
  const marked = { ...band, marked: number };
  if (isMultiple(entry)) app.band = toggleMark(marked);
  else chooseMarked(app, marked, entry);
  return true;
}

function chooseMarked(app: ChatApp, { marked, chosen }: Band, entry: RelayEntry): void {
  const options = optionsOf(entry);
  const picked = isMultiple(entry) && chosen.size > 0 ? [...chosen].toSorted((a, b) => a - b) : [marked];
  const labels = picked.flatMap(at => options[at]?.label ?? []);
  const [only] = labels;
  if (only === undefined) return;
  app.attempt(() => app.threads.answer(entry, { type: 'answer', answer: isMultiple(entry) ? labels : only }));
}

function optionsOf({ relay }: RelayEntry) {
  return relay.relayKind === 'question' ? (relay.options ?? []) : [];
}

function isMultiple({ relay }: RelayEntry): boolean {
  return relay.relayKind === 'question' && relay.selectionMode === 'multi_select';
}

/** Lets the person change the arguments in the editor, and runs the call with them. */
async function revise(app: ChatApp, entry: RelayEntry): Promise<void> {
  const { relay } = entry;
  if (relay.relayKind !== 'permission') return;
  const edited = await app.edit(`${JSON.stringify(relay.params, undefined, 2)}\n`, 'input.json');
  if (edited === undefined) return;
  await app.threads.answer(entry, { type: 'revise', input: JSON.parse(edited) as unknown });
}
