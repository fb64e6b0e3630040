import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { getMessageDelta } from '../../src/control/harness/messages/message-view.ts';
import { MemoryLog, SqliteLog, type Tail } from '../../src/log/index.ts';
import { gate, scene, silentAfterOneWord } from './scene.ts';

describe('the costs of a harness', () => {
  it('listMessages is a linear read and cloneThread is O(1)', async () => {
    const storage = new MemoryLog();
    const reads: number[] = [];
    const long = async (count: number) => {
      const thread = await storage.createThread({ resourceId: 'harness' });
      for (let at = 0; at < count; at++) {
        const runId = `run-${count}-${at}`;
        await storage.append(thread.id, [
          { type: 'user', runId: `ask-${runId}`, content: 'Hi.' },
          { type: 'harness_start', runId, agentId: 'main', parentId: `ask-${runId}:user` },
          { type: 'text', runId, id: 't', content: 'Hello!' },
          { type: 'harness_end', runId, agentId: 'main', reason: 'complete' },
        ]);
      }
      return thread.id;
    };
    const elsewhere: number[] = [];
    const { harness } = scene([], { storage });
    const { harness: reader } = scene([], { storage });
    for (const count of [20, 200]) {
      const id = await long(count);
      await harness.switchThread({ threadId: id });
      expect(await harness.listMessages()).toHaveLength(2 * count);
      const read = storage.read.bind(storage);
      let events = 0;
      storage.read = async (...range) => {
        const page = await read(...range);
        events += page.length;
        return page;
      };
      await harness.listMessages();
      reads.push(events);
      await reader.listMessagesForThread({ threadId: id });
      elsewhere.push(events - (reads.at(-1) ?? 0));
      storage.read = read;
      const clone = await harness.cloneThread();
      expect((await storage.getThread(clone.id))?.branchedFrom).toEqual({ threadId: id, seq: 4 * count });
    }
    expect(reads).toEqual([0, 0]);
    expect(elsewhere).toEqual([80, 800]);
  });

  it('message_update shares one immutable state: a delta is small, and emitted messages stay unchanged', async () => {
    const { harness, of } = scene([{ text: 'word '.repeat(200), tokenSize: 5, delayMs: 1 }], {
      model: { delay: () => new Promise(resolve => setImmediate(resolve)) },
    });
    await harness.sendMessage({ content: 'Go.' });
    const updates = of('message_update').map(({ message }) => message);
    expect(updates.map(message => getMessageDelta(message)?.delta).join('')).toBe('word '.repeat(200));
    const texts = updates.map(({ content }) => (content[0]?.type === 'text' ? content[0].text : ''));
    expect(texts).toEqual(texts.toSorted((a, b) => a.length - b.length));
    expect(texts.at(-1)).toBe('word '.repeat(200));
    expect(Object.keys(updates[0] ?? {})).toEqual(['id', 'role', 'createdAt', 'content']);
    const { message } = of('message_end').at(-1) ?? {};
    expect({ ...message }).toMatchObject({ content: [{ type: 'text' }], stopReason: 'complete' });
  });

  it('no timers run while idle, and none polls while the model is silent', async () => {
    const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length;
    const folder = mkdtempSync(join(tmpdir(), 'singletree-idle-'));
    const storage = new SqliteLog(join(folder, 'log.db'));
    const before = timers();
    const tail = storage.tail.bind(storage);
    const following = new Set<Tail>();
    storage.tail = (id, after, how) => {
      const followed = tail(id, after, how);
      const leave = () => {
        following.delete(followed);
        tailLeave?.();
      };
      const tailLeave = followed.leave?.bind(followed);
      how?.signal?.addEventListener('abort', leave);
      following.add(followed);
      return Object.assign(followed, { leave });
    };
    const { model: options, silent } = silentAfterOneWord();
    const script = ({ index }: { index: number }) => (index === 0 ? 'Hi.' : { text: 'One two', delayMs: 1 });
    const { harness } = scene(script, { model: options, storage });
    await harness.sendMessage({ content: 'Hi.' });
    await expect.poll(() => following.size).toBe(0);
    await expect.poll(timers).toBe(before);
    const sending = harness.sendMessage({ content: 'Count.' });
    await silent.opened;
    const fired: number[] = [];
    const { setTimeout: original } = globalThis;
    globalThis.setTimeout = ((run: () => void, ms: number) => {
      fired.push(ms);
      return original(run, ms);
    }) as typeof setTimeout;
    const rest = gate();
    setImmediate(() => setImmediate(() => setImmediate(rest.open)));
    await rest.opened;
    globalThis.setTimeout = original;
    expect(fired.filter(ms => ms < 1000)).toEqual([]);
    harness.abort();
    await sending;
    await harness.destroy();
    await storage.close();
    rmSync(folder, { recursive: true, force: true });
  });
});
