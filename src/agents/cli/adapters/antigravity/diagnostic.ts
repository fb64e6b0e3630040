/** An error or warning that the program prints as plain text instead of a record. */
export interface Diagnostic {
  readonly type: 'error' | 'warning';
  readonly message: string;
}

const labelled = /^(error|warning):\s*(.*)$/i;
const refusedFlag = /^flags? provided but not defined: .+$/;

/** Returns the diagnostic on a line, which its first word marks; undefined when it is anything else. */
export function readDiagnostic(line: string): Diagnostic | undefined {
  const text = line.trim();
  if (refusedFlag.test(text)) return { type: 'error', message: text };
  const [, type, message = ''] = labelled.exec(text) ?? [];
  if (type === undefined) return undefined;
  return type.toLowerCase() === 'error' ? { type: 'error', message } : { type: 'warning', message: message || text };
}
