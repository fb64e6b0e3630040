import { defined } from '../../base/defined.ts';
/** What an observer or a reflector wrote. */
export interface Observed {
  readonly text: string;
  readonly currentTask?: string;
  readonly suggestedResponse?: string;
}

/** Reads the answer of an observer or a reflector; undefined when it has no observations. */
export function parseObservations(answer: string): Observed | undefined {
  const text = sectionOf(answer, 'observations');
  if (text === undefined) return undefined;
  const currentTask = sectionOf(answer, 'current-task');
  const suggestedResponse = sectionOf(answer, 'suggested-response');
  return {
    text,
    ...defined({ currentTask, suggestedResponse }),
  };
}

/** The content of a section; one that is not closed ends with the answer, or before the next section. */
function sectionOf(answer: string, name: string): string | undefined {
  const begin = answer.indexOf(`<${name}>`);
  if (begin < 0) return undefined;
  const rest = answer.slice(begin + name.length + 2);
  const end = rest.search(/<\/?(?:observations|current-task|suggested-response)>/);
  const content = (end < 0 ? rest : rest.slice(0, end)).trim();
  return content === '' ? undefined : content;
}
