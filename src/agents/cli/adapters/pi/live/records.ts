import type { RecordRules } from '../../../contract/record-rules.ts';
import type { LineContext } from '../../../shared/line-context.ts';
import { textOf, type WireRecord } from '../../../shared/wire-value.ts';
import type { PiReader } from '../reader.ts';
import { piRecords } from '../records.ts';

const consumed: ReadonlySet<string> = new Set([
  'auto_compaction_end',
  'auto_compaction_start',
  'compaction_end',
  'compaction_start',
  'model_changed',
  'queue_update',
  'session_info_changed',
  'thinking_level_changed',
]);

/** Translates one record of the interactive mode that is neither a response nor a dialog. */
export function takeRecord(record: WireRecord, reader: PiReader, context: LineContext): void {
  const type = textOf(record['type']) ?? '';
  const problem = textOf(record['errorMessage']);
  if (type === 'extension_error') {
    const message = `Extension ${String(record['extensionPath'])}: ${String(record['error'])}`;
    context.emit({ type: 'warning', message, code: 'extension' });
  } else if (type === 'compaction_end' && problem !== undefined)
    context.emit({ type: 'warning', message: problem, code: 'compaction' });
  else if (!consumed.has(type)) reader.take(record);
}

const { '`session`': _session, ...sharedRecords } = piRecords;

/** What the records of `pi --mode rpc` become. */
export const piLiveRecords: RecordRules = {
  ...sharedRecords,
  '`response` to `get_state`': 'the session is open; `session` in each turn',
  '`response` to `prompt`': '`error` when the prompt was refused, else consumed',
  '`response` to another command': 'nothing: consumed',
  '`extension_ui_request` of the extension of Singletree': 'a permission relay, or a question relay for `ask_user`',
  '`extension_ui_request` with a dialog of another extension': 'a question relay',
  '`extension_ui_request` without a dialog': 'nothing: consumed',
  '`extension_error`': '`warning` with code `extension`',
  '`compaction_end` that failed': '`warning` with code `compaction`',
  [[...consumed].map(type => `\`${type}\``).join(', ')]: 'nothing: consumed',
};

/** Where the events of the channel differ from those of `pi --mode json --print`. */
export const piLiveDifferences: Readonly<Record<string, string>> = {
  '`session`': 'once for each turn, from `get_state`; print mode once for each process',
  '`tool_start`': 'after the approval; print mode emits it with the record of the start. None for a rejected call',
  '`tool_result` of a rejected call': '`denied` with the reason; print mode never asks',
  '`ask_user`': 'a tool that only the channel offers',
};
