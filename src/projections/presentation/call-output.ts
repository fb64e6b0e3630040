import type { ToolOutput } from '../../events/tools.ts';
import { readable } from './wording.ts';

/** An image in the result of a call. */
export interface OutputImage {
  readonly mediaType: string;
  /** In base64. */
  readonly data: string;
}

/** The text and images of a call's output. */
export interface OutputView {
  readonly text: string;
  readonly images: readonly OutputImage[];
}

type Fields = Readonly<Record<string, unknown>>;

const rasters = /^image\/(?:png|jpeg|gif|webp)$/;

/** Returns the text and the images of an output; images are recognised in the forms that agents and MCP servers use. */
export function outputView(output: ToolOutput): OutputView {
  if ('error' in output) return { text: output.error, images: [] };
  if ('reason' in output) return { text: output.reason, images: [] };
  const { context } = output;
  const list = Array.isArray(context)
    ? context
    : isFields(context) && Array.isArray(context['content'])
      ? context['content']
      : undefined;
  if (list === undefined) return { text: readable(context), images: [] };
  const images = list.flatMap(toImages);
  const texts = list.flatMap((part: unknown) =>
    isFields(part) && typeof part['text'] === 'string' ? [part['text']] : [],
  );
  if (images.length + texts.length === 0) return { text: readable(context), images: [] };
  return { text: texts.join('\n'), images };
}

function toImages(part: unknown): readonly OutputImage[] {
  if (!isFields(part)) return [];
  const source = isFields(part['source']) ? part['source'] : part;
  const mediaType = source['mediaType'] ?? source['mimeType'] ?? source['media_type'];
  const { data } = source;
  if (typeof mediaType !== 'string' || typeof data !== 'string' || !rasters.test(mediaType)) return [];
  return /^[\w+/=-]+$/.test(data) ? [{ mediaType, data }] : [];
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
