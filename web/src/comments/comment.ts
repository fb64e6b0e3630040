import * as z from 'zod';

const target = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('diff'),
    path: z.string(),
    from: z.number().optional(),
    to: z.number().optional(),
    /** Whether the line numbers are those of the file before the change. */
    isOld: z.boolean().optional(),
  }),
  z.object({ kind: z.literal('plan') }),
  z.object({ kind: z.literal('answer') }),
]);

export const commentSchema = z.object({ id: z.string(), target, quote: z.string(), text: z.string() });

/** The part of the conversation that a comment refers to. */
export type CommentTarget = z.infer<typeof target>;

/** A comment on a part of the conversation, with the text it is about. */
export type Comment = z.infer<typeof commentSchema>;

/** A comment that is being written. */
export type CommentDraft = Omit<Comment, 'id' | 'text'> & Partial<Pick<Comment, 'id' | 'text'>>;

const mostQuotedLines = 30;

/** Returns a name for the target of a comment. */
export function targetName(of: CommentTarget): string {
  if (of.kind !== 'diff') return of.kind === 'plan' ? 'Plan' : 'Answer';
  if (of.from === undefined) return of.path;
  const lines = of.to === undefined || of.to === of.from ? `line ${of.from}` : `lines ${of.from}–${of.to}`;
  return `${of.path}, ${lines}${of.isOld === true ? ' before the change' : ''}`;
}

/** Returns the message that sends comments back: each with its file, its lines and the text it is about. */
export function commentsMessage(comments: readonly Comment[], text: string): string {
  const parts = comments.map(({ target: of, quote, text: comment }) => {
    const name = of.kind === 'diff' ? `On \`${of.path}\`${targetName(of).slice(of.path.length)}` : `On your ${of.kind}`;
    return `${name}:\n\n${quoted(quote)}\n\n${comment}`;
  });
  return [...(text === '' ? [] : [text]), ...parts].join('\n\n');
}

function quoted(quote: string): string {
  const lines = quote.trimEnd().split('\n');
  const shown = lines.length > mostQuotedLines ? [...lines.slice(0, mostQuotedLines), '…'] : lines;
  return shown.map(line => `> ${line}`).join('\n');
}
