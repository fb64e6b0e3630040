import type { ModelScript } from '../../../src/agents/model/scripted/script.ts';
import type { LoggedEvent } from '../../../src/events/index.ts';
import { LiveScene } from './live-scene.ts';

/** What print mode and the interactive channel both report of a run, in order; ids, lines and times are left out. */
export type Compared = Readonly<Record<string, unknown>>;

/** Runs a script without questions in print mode and over the interactive channel; returns what both report. */
export async function comparedEvents(
  name: string,
  script: () => ModelScript,
): Promise<{ readonly print: readonly Compared[]; readonly live: readonly Compared[] }> {
  return { print: await eventsOf(name, script(), 'print'), live: await eventsOf(name, script(), 'live') };
}

async function eventsOf(name: string, script: ModelScript, channel: 'print' | 'live'): Promise<Compared[]> {
  const scene = await LiveScene.open(name, script);
  try {
    const run = await scene.send('go', { channel, yolo: true });
    const { events } = await scene.finished(run);
    return comparable(events, scene.options.cwd);
  } finally {
    await scene.close();
  }
}

const left: ReadonlySet<string> = new Set([
  'user',
  'harness_start',
  'warning',
  'session',
  'model_context',
  'tool_start',
]);
const differing = [
  'id',
  'line',
  'ts',
  'seq',
  'sessionId',
  'runId',
  'parentId',
  'callId',
  'contextId',
  'diff',
  'movePath',
];

function comparable(events: readonly LoggedEvent[], cwd: string): Compared[] {
  const compared: Record<string, unknown>[] = [];
  const texts = new Map<string, Record<string, unknown>>();
  for (const event of events) {
    if (left.has(event.type)) continue;
    if (event.type !== 'text' && event.type !== 'reasoning') {
      compared.push({ ...event });
      continue;
    }
    const before = texts.get(event.id);
    if (before === undefined) {
      const whole: Record<string, unknown> = { ...event };
      texts.set(event.id, whole);
      compared.push(whole);
    } else {
      before['content'] = `${String(before['content'])}${event.content}`;
      if (event.type === 'text' && event.final === true) before['final'] = true;
    }
  }
  const text = JSON.stringify(compared, (key, value: unknown) => (differing.includes(key) ? undefined : value));
  return JSON.parse(text.replaceAll(cwd, '$CWD')) as Compared[];
}
