import type { MessageBody } from '../../../src/protocols/http-api.ts';

/** A file or an image that goes with a message. */
export interface Attachment {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  /** In base64. */
  readonly data: string;
  /** In bytes. */
  readonly size: number;
}

/** The most bytes of all attachments of a message: the server takes bodies of 8 MiB, and base64 adds a third. */
export const mostBytes = 5.5 * 1024 * 1024;
/** A longer text that is pasted becomes a file. */
export const mostPasted = 8_000;

const images = /^image\/(?:png|jpeg|gif|webp)$/;

/** Whether an attachment can be shown as an image. */
export function isImage({ mediaType }: Pick<Attachment, 'mediaType'>): boolean {
  return images.test(mediaType);
}

/** Reads a file. */
export async function readAttachment(file: File): Promise<Attachment> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = '';
  for (let at = 0; at < bytes.length; at += 32_768) binary += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  return {
    id: crypto.randomUUID(),
    name: file.name || 'file',
    mediaType: file.type || (bytes.includes(0) ? 'application/octet-stream' : 'text/plain'),
    data: btoa(binary),
    size: bytes.length,
  };
}

/** Returns the content of a message: its text, with its attachments as parts. */
export function toContent(text: string, attachments: readonly Attachment[]): MessageBody['content'] {
  if (attachments.length === 0) return text;
  return [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...attachments.map(each =>
      isImage(each)
        ? { type: 'image' as const, data: each.data, mediaType: each.mediaType }
        : { type: 'file' as const, data: each.data, mediaType: each.mediaType, filename: each.name },
    ),
  ];
}

/** Formats a number of bytes. */
export function bytesText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  return bytes < 1_048_576 ? `${Math.round(bytes / 1_024)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`;
}
