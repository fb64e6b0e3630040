import * as z from 'zod';
import { eventShape, family, jsonValue } from './define.ts';

const define = family('facts');

const message = () => z.string().describe('the message for the user');
const code = () => z.string().optional().describe('a stable code, when there is one');

export const error = define('error', { doc: 'Something failed. Only a fatal error ends a run.' }, () =>
  eventShape('error', {
    message: message(),
    code: code(),
    fatal: z.boolean().optional().describe('whether the run ends by it'),
    retryable: z.boolean().optional().describe('whether trying again may help'),
    retryAfterMs: z.number().nonnegative().optional().describe('how long to wait before trying again'),
  }),
);

export const warning = define('warning', { doc: 'Something may be wrong; the run continues.' }, () =>
  eventShape('warning', {
    message: message(),
    code: code(),
    retryAfterMs: z.number().nonnegative().optional().describe('how long until what failed is tried again'),
  }),
);

export const fileRegistered = define('file_registered', { doc: 'A file became available to the person.' }, () =>
  eventShape('file_registered', {
    id: z.string().min(1).describe('the id of the file'),
    path: z.string().describe('where it is, relative to the workspace'),
    mediaType: z.string().optional().describe('its media type'),
    size: z.int().nonnegative().optional().describe('its size in bytes'),
    toolCallId: z.string().optional().describe('the tool call that made it'),
  }),
);

export const unknown = define(
  'unknown',
  { doc: 'An agent printed something that is not understood. Nothing of it is lost.' },
  () =>
    eventShape('unknown', {
      raw: jsonValue().describe('the printed value: any JSON value, a string when it was not JSON'),
    }),
);

export const custom = define('custom', { doc: 'An event of a product built on this one.' }, () =>
  eventShape('custom', {
    name: z.string().min(1).describe('the name of the kind of event'),
    data: jsonValue().describe('its data'),
  }),
);
