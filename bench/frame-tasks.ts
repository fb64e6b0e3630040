import type { Browser, Page } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly args?: { readonly name?: string };
}

/** Shorter tasks are not counted: there are very many of them. */
const leastMs = 1;

/** Returns the length of the tasks of a page's main thread while something happens, in milliseconds. */
export async function frameTasks(
  browser: Browser,
  page: Page,
  happens: () => Promise<void>,
): Promise<{ readonly p99: number; readonly longest: number }> {
  await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
  await happens();
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { readonly traceEvents: readonly TraceEvent[] };
  const keyOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const mains = new Set(
    trace.traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(event => keyOf(event)),
  );
  const tasks = trace.traceEvents
    .filter(event => event.ph === 'X' && event.name.endsWith('RunTask') && mains.has(keyOf(event)))
    .map(({ dur = 0 }) => dur / 1_000)
    .filter(ms => ms >= leastMs)
    .toSorted((a, b) => a - b);
  if (tasks.length === 0) throw new Error('The trace has no tasks of the page.');
  return { p99: tasks[Math.floor(tasks.length * 0.99)] ?? 0, longest: tasks.at(-1) ?? 0 };
}
