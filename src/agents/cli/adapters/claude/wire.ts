import { defined } from '../../../../base/defined.ts';
import type { ToolOutput } from '../../../../events/tools.ts';
import { patchText, reportedPatch } from '../../shared/reported-patch.ts';
import { joinedText, toList, toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';

/** Returns the blocks of a message's content; plain text is one block. Undefined when there is no readable content. */
export function readBlocks(message: unknown): readonly unknown[] | undefined {
  const content = toRecord(message)?.['content'];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content : undefined;
}

/** Returns the error of a record: the program reports API failures as messages of a synthetic assistant. */
export function readApiError(record: WireRecord): { message: string; code?: string } | undefined {
  const message = toRecord(record['message']);
  if (record['is_api_error_message'] !== true && message?.['model'] !== '<synthetic>') return undefined;
  const reported = toText(record['error']);
  if (record['is_api_error_message'] !== true && reported === undefined) return undefined;
  const code = reported === 'unknown' ? (toText(record['api_error_type']) ?? reported) : reported;
  return { message: joinedText(message?.['content']) ?? 'The API failed.', ...defined({ code }) };
}

/** Returns the output of a tool, with the patch of an edit. A failed command has its exit code only in its text. */
export function readToolOutput(block: WireRecord, record: WireRecord, name: string): ToolOutput {
  const context = joinedText(block['content']) ?? block['content'] ?? '';
  const text = typeof context === 'string' ? context : JSON.stringify(context);
  if (isRejected(block, record)) return { status: 'denied', reason: text };
  const result = toRecord(record['tool_use_result']);
  if (result?.['interrupted'] === true) return { error: text || 'It was interrupted.' };
  if (block['is_error'] !== true) return { context, ...reportedPatch(patchText(result?.['structuredPatch'])) };
  const exitCode = name === 'Bash' ? /^Exit code (\d+)/.exec(text)?.[1] : undefined;
  return exitCode === undefined ? { error: text } : { context, result: { exitCode: Number(exitCode) } };
}

/** Returns the answer of a subagent: the last text of its result, or else the output of the call. */
export function readAnswer(context: unknown, result: WireRecord | undefined): string | undefined {
  return toText(toRecord(toList(result?.['content']).at(-1))?.['text']) ?? toText(context);
}

function isRejected(block: WireRecord, record: WireRecord): boolean {
  return toList(record['tool_result_meta']).some(value => {
    const meta = toRecord(value);
    return meta?.['id'] === block['tool_use_id'] && toRecord(meta?.['permission_decision'])?.['decision'] === 'reject';
  });
}

/** Returns the read described by a result without a call, as the input of a call. */
export function readRecoveredRead(record: WireRecord): WireRecord | undefined {
  const file = toRecord(toRecord(record['tool_use_result'])?.['file']);
  const path = toText(file?.['filePath']);
  if (path === undefined) return undefined;
  const { startLine, numLines } = file as WireRecord;
  return {
    file_path: path,
    ...(typeof startLine === 'number' && { offset: startLine }),
    ...(typeof numLines === 'number' && { limit: numLines }),
  };
}

/** Returns the folder that a skill was loaded from, according to the text that the program injects after it. */
export function readSkillFolder(record: WireRecord): string | undefined {
  const text = joinedText(toRecord(record['message'])?.['content']) ?? '';
  return record['type'] === 'user' ? /^Base directory for this skill: (\S.*?)\s*$/m.exec(text)?.[1] : undefined;
}
