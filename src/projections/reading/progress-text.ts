/** The fields in which reports of tools carry text. */
const textFields = ['text', 'output', 'content', 'message', 'chunk'] as const;

/** Returns what the reports of a call say so far: the newest when it is a text, else the texts in all of them, joined. */
export function progressText(reports: readonly unknown[]): string {
  const newest = reports.at(-1);
  return typeof newest === 'string' ? newest : reports.map(textIn).join('');
}

function textIn(report: unknown): string {
  if (typeof report === 'string') return report;
  const fields = Object(report) as Readonly<Record<string, unknown>>;
  const text = textFields.map(name => fields[name]).find(value => typeof value === 'string');
  return typeof text === 'string' ? text : '';
}
