import { expect, it } from 'vitest';
import { outputView } from './call-output.ts';

it('has the text and the images of a result', () => {
  const png = { type: 'image', mimeType: 'image/png', data: 'iVBO' };
  const source = { type: 'base64', media_type: 'image/jpeg', data: '/9j/' };
  expect(outputView({ context: [{ type: 'text', text: 'a' }, png, { type: 'image', source }] })).toEqual({
    text: 'a',
    images: [
      { mediaType: 'image/png', data: 'iVBO' },
      { mediaType: 'image/jpeg', data: '/9j/' },
    ],
  });
  expect(outputView({ context: { content: [png] } }).images).toHaveLength(1);
});

it('shows anything else as text, also what only looks like an image', () => {
  const svg = { type: 'image', mimeType: 'image/svg+xml', data: 'PHN2Zz4=' };
  const link = { type: 'image', mimeType: 'image/png', data: 'https://a.b/c.png' };
  for (const context of [[svg], [link], { a: 1 }]) expect(outputView({ context }).images).toEqual([]);
  expect(outputView({ error: 'no' }).text).toBe('no');
  expect(outputView({ status: 'denied', reason: 'never' }).text).toBe('never');
});
