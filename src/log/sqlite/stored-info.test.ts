import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { mergeMetadata } from '../threads.ts';
import { StoredInfo } from './stored-info.ts';

const key = fc.constantFrom('a', '1', '', '__proto__', '"\\\u2028\ud800');
const changes = fc.array(
  fc.record({
    thread: fc.nat(1),
    title: fc.option(fc.string(), { nil: undefined }),
    metadata: fc.dictionary(key, fc.oneof(fc.constantFrom(null, undefined, 10n), fc.jsonValue())),
  }),
);

it('is what it was with each change merged in, whichever thread is changed, and as it was after one that is refused', () => {
  fc.assert(
    fc.property(changes, changes => {
      const stored = new StoredInfo();
      const branchedFrom = { threadId: 'other', seq: 3 };
      const models = [
        { title: undefined as string | undefined, metadata: {} },
        { title: 't', metadata: {}, branchedFrom },
      ];
      const texts = models.map(model => JSON.stringify(model));
      for (const { thread, title, metadata } of changes) {
        const model = models[thread];
        const change = { metadata, ...(title !== undefined && { title }) };
        try {
          if (model !== undefined) model.metadata = mergeMetadata(model.metadata, metadata);
        } catch {
          expect(() => stored.after({ id: 'thread', info: texts[thread] ?? '' }, change)).toThrow(
            'cannot be written as JSON',
          );
          continue;
        }
        if (model !== undefined) model.title = title ?? model.title;
        texts[thread] = stored.after({ id: 'thread', info: texts[thread] ?? '' }, change);
        expect(JSON.parse(texts[thread])).toEqual(JSON.parse(JSON.stringify(model)));
      }
    }),
  );
});
