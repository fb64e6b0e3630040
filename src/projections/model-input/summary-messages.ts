import type { Summary } from '../../graph/conversation/record.ts';
import type { Message } from '../message.ts';

/** A summary, as far as a model is sent it. */
export type ShownSummary = Pick<Summary, 'text' | 'kind'> & {
  readonly event: Pick<Summary['event'], 'currentTask' | 'suggestedResponse'>;
};

const observationsTitle =
  'Observations of the conversation so far, oldest first. They take the place of the messages they were made from.';

export interface SummaryMessagesOptions {
  /** Whether other observations precede these. */
  readonly continuesObservations?: boolean;
  /** Whether other observations follow these. */
  readonly isContinued?: boolean;
}

/**
 * Returns the messages that replace the messages covered by each summary. Observations have the same beginning however
 * many follow; the current task and the suggested response of the newest ones are last.
 */
export function summaryMessages<Shown extends ShownSummary>(
  summaries: readonly Shown[],
  { continuesObservations = false, isContinued = false }: SummaryMessagesOptions = {},
): Map<Shown, Message[]> {
  const observations = summaries.filter(isObservation);
  const [first, last] = [observations[0], observations.at(-1)];
  return new Map(
    summaries.map(summary => {
      if (!isObservation(summary)) return [summary, [compactionMessage(summary.text)]];
      const isFirst = summary === first && !continuesObservations;
      const shown = userMessage(isFirst ? `${observationsTitle}\n\n${summary.text}` : summary.text);
      const next = summary === last && !isContinued ? nextSteps(summary) : undefined;
      return [summary, next === undefined ? [shown] : [shown, userMessage(next)]];
    }),
  );
}

/** Returns the message that replaces a compacted span. */
export function compactionMessage(text: string): { readonly role: 'user'; readonly content: string } {
  return userMessage(`Summary of the conversation before:\n\n${text}`);
}

/** Whether a summary is a part of the observations. */
export function isObservation({ kind }: Pick<ShownSummary, 'kind'>): boolean {
  return kind !== 'compaction';
}

function nextSteps({ event: { currentTask, suggestedResponse } }: ShownSummary): string | undefined {
  const lines = [
    ...(currentTask === undefined ? [] : [`Current task: ${currentTask}`]),
    ...(suggestedResponse === undefined ? [] : [`Suggested response: ${suggestedResponse}`]),
  ];
  return lines.length === 0 ? undefined : lines.join('\n');
}

function userMessage(content: string) {
  return { role: 'user' as const, content };
}
