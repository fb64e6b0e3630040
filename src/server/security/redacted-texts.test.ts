import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../agents/redaction/redactor.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { RedactedTexts } from './redacted-texts.ts';

const text = (seq: number, content: string) => ({
  seq,
  text: `{"type":"text","runId":"r","id":"t","content":"${content}","x":1.0,"seq":${seq},"ts":"2025-01-01T00:00:00Z"}`,
});
const end = { seq: 3, text: '{"type":"harness_end","runId":"r","agentId":"a","seq":3,"ts":"2025-01-01T00:00:00Z"}' };

describe('the texts of events', () => {
  it('are sent as they are stored, when there is no secret in them', () => {
    for (const secrets of [[], ['the-secret-word']]) {
      const texts = new RedactedTexts(createRedactor(secrets));
      const stored = [text(1, 'plain'), text(2, 'words'), end];
      expect(stored.flatMap(each => texts.push(each))).toEqual(stored);
    }
  });

  it('show no secret, also one that is split over two of them', () => {
    const texts = new RedactedTexts(createRedactor(['the-secret-word']));
    const shown = [text(1, 'it is the-sec'), text(2, 'ret-word!'), end].flatMap(each => texts.push(each));
    expect(shown.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(JSON.stringify(shown)).toContain('[redacted]');
    expect(JSON.stringify(shown)).not.toMatch(/the-sec|ret-word/);
  });

  it('begin after what came before them was seen', async () => {
    const log = new MemoryLog();
    const { id } = await log.createThread();
    await log.append(id, [{ type: 'text', runId: 'r', id: 't', content: 'it is the-sec' }]);
    const texts = await RedactedTexts.after({ log, redactor: createRedactor(['the-secret-word']) }, id, 1);
    const shown = [text(2, 'ret-word!'), end].flatMap(each => texts.push(each));
    expect(JSON.stringify(shown)).not.toContain('ret-word');
  });
});
