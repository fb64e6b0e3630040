import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { shortenOutput } from '../../projections/shorten-output.ts';
import type { ToolReturn } from '../contract/tool-values.ts';

/** Returns the output of a server's tool as one text: images, sounds and files are described. */
export function textOfResult({ content, structuredContent }: CallToolResult, max: number): string {
  const text = content.map(textOfBlock).join('\n');
  return shortened(text === '' && structuredContent !== undefined ? JSON.stringify(structuredContent) : text, max);
}

/**
 * Returns the result of a call: the text for the model and the structured content for programs, neither longer than
 * `max`.
 */
export function toolReturn(result: CallToolResult, max: number): ToolReturn {
  const { structuredContent } = result;
  const context = textOfResult(result, max) || 'The tool returned nothing.';
  if (structuredContent === undefined) return { context };
  const { length } = JSON.stringify(structuredContent);
  if (length <= max) return { context, result: structuredContent };
  return { context: `${context}\n[Its structured content of ${length} characters is too long and was omitted.]` };
}

/** Returns the text, shortened in the middle when it is longer than `max` characters. */
export function shortened(text: string, max: number): string {
  const output = shortenOutput({ error: text }, max);
  return 'error' in output ? output.error : text;
}

function textOfBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type} ${block.mimeType}, ${sizeOf(block.data)}]`;
    case 'resource_link': {
      const { name, uri, mimeType, description } = block;
      return `[resource ${name}: ${uri}${mimeType ? `, ${mimeType}` : ''}]${description ? ` ${description}` : ''}`;
    }
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return `[resource ${resource.uri}]\n${resource.text}`;
      return `[resource ${resource.uri}${resource.mimeType ? `, ${resource.mimeType}` : ''}, ${sizeOf(resource.blob)}]`;
    }
    default:
      return `[content of a kind that is not known here]`;
  }
}

function sizeOf(base64: string): string {
  return `${Math.floor((base64.length * 3) / 4)} bytes`;
}
