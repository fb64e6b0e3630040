import * as z from 'zod';
import { eventShape, family, providerMetadata } from './define.ts';

const define = family('content');

const contentPart = () =>
  z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('text'), text: z.string() }),
    z.looseObject({ type: z.literal('image'), data: z.string(), mediaType: z.string() }),
    z.looseObject({
      type: z.literal('file'),
      data: z.string(),
      mediaType: z.string(),
      filename: z.string().optional(),
    }),
  ]);

/** A piece of a user message: text, an image or a file; binary data is base64 or a URL. */
export type ContentPart =
  | { type: 'text'; text: string }
  | { type: 'image'; data: string; mediaType: string }
  | { type: 'file'; data: string; mediaType: string; filename?: string | undefined };

/** Returns the schema of the content of a message: a text, or its parts. */
export const userContent = () => z.union([z.string(), z.array(contentPart())]).describe('the text, or its parts');

export const user = define('user', { doc: 'A person said something.', durability: 'barrier' }, () =>
  eventShape('user', {
    content: userContent(),
    id: z.string().optional().describe('an id chosen by the sender, so that a repeated message is recognised'),
    by: z.string().optional().describe('the author: the name of a person, or of the subagent that ended'),
    automatic: z
      .boolean()
      .optional()
      .describe(
        'whether a program wrote it: the outcome of a subagent, a request to correct the output, or a note to an external agent',
      ),
    parentMessageId: z
      .string()
      .optional()
      .describe(
        'the message this one follows, empty for the beginning; siblings share it; the newest of the active branch when absent',
      ),
  }),
);

const fragmentFields = () => ({
  id: z.string().min(1).describe('the same for every fragment of one stream'),
  content: z.string().describe('the fragment'),
  callId: z.string().optional().describe('the model call that produced it'),
});

export const text = define(
  'text',
  { doc: 'A fragment of streamed text.', durability: 'delta', fragment: 'content' },
  () =>
    eventShape('text', {
      ...fragmentFields(),
      providerMetadata: providerMetadata(),
      final: z
        .boolean()
        .optional()
        .describe(
          'whether the message is complete with this fragment, which may be empty; false when a later one completes it; absent when its end is not marked',
        ),
      fromResult: z
        .boolean()
        .optional()
        .describe('whether it is the answer of a subagent as the result of its call reports it, not text it wrote'),
    }),
);

export const reasoning = define(
  'reasoning',
  { doc: 'A fragment of streamed reasoning.', durability: 'delta', fragment: 'content' },
  () => eventShape('reasoning', { ...fragmentFields(), providerMetadata: providerMetadata() }),
);
