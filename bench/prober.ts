import { request } from 'node:http';

/** The order to a process that probes a server: a small request after the other, until it is asked to stop. */
export interface ProbeOrder {
  readonly url: string;
  /** The pause between two requests, in milliseconds. */
  readonly pauseMs: number;
}

/** The delays of the requests, in milliseconds. */
export interface ProbeReport {
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly most: number;
}

let isStopped = false;

function get(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    request(url, response => response.resume().on('end', resolve).on('error', reject))
      .on('error', reject)
      .end();
  });
}

async function probe({ url, pauseMs }: ProbeOrder): Promise<void> {
  const delays: number[] = [];
  process.send?.('ready');
  while (!isStopped) {
    const start = performance.now();
    await get(url);
    delays.push(performance.now() - start);
    await new Promise(resolve => setTimeout(resolve, pauseMs));
  }
  delays.sort((a, b) => a - b);
  const at = (share: number) => delays[Math.min(delays.length - 1, Math.floor(delays.length * share))] ?? 0;
  const report: ProbeReport = { count: delays.length, p50: at(0.5), p95: at(0.95), most: at(1) };
  process.send?.(report, () => process.disconnect?.());
}

process.on('message', order => {
  if (order === 'stop') isStopped = true;
  else void probe(order as ProbeOrder);
});
