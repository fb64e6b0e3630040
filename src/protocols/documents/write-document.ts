import { type SaveImage, toAtif } from './atif.ts';
import { toHtml } from './html.ts';
import { toMarkdown } from './markdown.ts';
import type { DocumentFormat, ThreadDocument } from './thread-document.ts';

/** Returns a thread as a document in a format; `saveImage` stores the images of a format that has no place for them. */
export async function writeDocument(
  format: DocumentFormat,
  document: ThreadDocument,
  saveImage?: SaveImage,
): Promise<string> {
  if (format === 'markdown') return toMarkdown(document);
  return format === 'html' ? toHtml(document) : `${JSON.stringify(toAtif(document, saveImage))}\n`;
}
