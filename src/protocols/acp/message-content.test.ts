import { describe, expect, it } from 'vitest';
import { readPrompt, toUserChunks } from './message-content.ts';

describe('the blocks of a prompt', () => {
  it('stay a text when they are one, links and embedded texts included', () => {
    expect(
      readPrompt([
        { type: 'text', text: 'See ' },
        { type: 'resource_link', uri: 'file:///a%20b.ts', name: 'a b.ts' },
        { type: 'resource', resource: { uri: 'zed:///rule', text: 'Be brief.' } },
      ]),
    ).toBe('See @/a b.ts\n<context ref="zed:///rule">\nBe brief.\n</context>\n');
  });

  it('become attachments when they are data', () => {
    expect(
      readPrompt([
        { type: 'image', data: 'aW1n', mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'file:///x/a.pdf', blob: 'cGRm', mimeType: 'application/pdf' } },
      ]),
    ).toEqual([
      { type: 'image', data: 'aW1n', mediaType: 'image/png' },
      { type: 'file', data: 'cGRm', mediaType: 'application/pdf', filename: 'a.pdf' },
    ]);
  });

  it('keep an address that cannot be decoded', () => {
    expect(readPrompt([{ type: 'resource_link', uri: 'file:///a%ZZ', name: 'a' }])).toBe('@/a%ZZ');
  });
});

it('shows texts, images, files and addresses of a message', () => {
  const chunks = toUserChunks('m', [
    { type: 'text', text: 'Hi' },
    { type: 'image', data: 'aW1n', mediaType: 'image/png' },
    { type: 'image', data: 'https://a.b/c.png', mediaType: 'image/png' },
    { type: 'file', data: 'cGRm', mediaType: 'application/pdf', filename: 'a.pdf' },
  ]);
  expect(chunks.map(update => 'content' in update && update.content)).toMatchObject([
    { type: 'text' },
    { type: 'image', mimeType: 'image/png' },
    { type: 'resource_link', uri: 'https://a.b/c.png' },
    { type: 'resource', resource: { blob: 'cGRm' } },
  ]);
});
