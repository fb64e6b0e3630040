import { encodeSpan, joinSpans } from '../otel/otlp.ts';
import { foldSpans, type SpanFoldOptions } from '../otel/span-fold.ts';
import { type SaveImage, toAtif } from './atif.ts';
import { toHtml } from './html.ts';
import { toMarkdown } from './markdown.ts';
import type { DocumentFormat, ThreadDocument } from './thread-document.ts';

export interface DocumentOptions extends Pick<SpanFoldOptions, 'content'> {
  /** Stores the images of a format that has no place for them. */
  readonly saveImage?: SaveImage | undefined;
  /** Whether the spans of runs that have not ended are included. */
  readonly open?: boolean;
}

/** Returns a thread as a document in a format. */
export async function writeDocument(
  format: DocumentFormat,
  document: ThreadDocument,
  { saveImage, ...spans }: DocumentOptions = {},
): Promise<string> {
  if (format === 'markdown') return toMarkdown(document);
  if (format === 'html') return toHtml(document);
  return `${format === 'atif' ? JSON.stringify(toAtif(document, saveImage)) : toTraces(document, spans)}\n`;
}

function toTraces({ events, threadId, branchedFrom, version }: ThreadDocument, options: DocumentOptions): string {
  const spans = foldSpans(events, { threadId, ...options, ...(branchedFrom && { sharedSeq: branchedFrom.seq }) });
  return joinSpans(spans.map(encodeSpan), {
    resource: { 'service.name': 'singletree', 'service.version': version },
    version,
  });
}
