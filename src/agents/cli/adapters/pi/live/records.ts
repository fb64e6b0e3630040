import type { LineContext } from '../../../shared/line-context.ts';
import { textOf, type WireRecord } from '../../../shared/wire-value.ts';
import type { PiReader } from '../reader.ts';

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
