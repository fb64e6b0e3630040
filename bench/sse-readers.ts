import { connect } from 'node:net';

/** What a process that reads streams is asked for. */
export interface ReadersOrder {
  readonly port: number;
  /** The path of each stream; one reader for each. */
  readonly paths: readonly string[];
  /** How many events each reader waits for. */
  readonly events: number;
}

/** What it reports: that all are connected, then what arrived. */
export type ReadersReport =
  | { readonly type: 'connected' }
  | { readonly type: 'done'; readonly delivered: number; readonly p99Ms: number };

const sentAt = Buffer.from('"data":"');
const frameEnd = Buffer.from('\n\n');

/** Opens a bare socket for each reader and counts the events; each carries the time at which it was appended. */
function read({ port, paths, events }: ReadersOrder): void {
  const delays: number[] = [];
  let connected = 0;
  let open = paths.length;
  let delivered = 0;
  const report = (line: ReadersReport) => process.send?.(line);
  for (const path of paths) {
    const socket = connect(port, '127.0.0.1');
    let rest: Buffer = Buffer.alloc(0);
    let isOpen = false;
    let count = 0;
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    socket.on('data', chunk => {
      if (!isOpen) {
        isOpen = true;
        if (++connected === paths.length) report({ type: 'connected' });
      }
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      for (let end = rest.indexOf(frameEnd); end >= 0; end = rest.indexOf(frameEnd)) {
        const at = rest.indexOf(sentAt);
        if (at >= 0 && at < end) {
          count++;
          const time = Number(rest.subarray(at + sentAt.length, rest.indexOf('"', at + sentAt.length)).toString());
          delays.push(Date.now() - time);
        }
        rest = rest.subarray(end + frameEnd.length);
      }
      if (count >= events) socket.destroy();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      delivered += count;
      if (--open > 0) return;
      delays.sort((a, b) => a - b);
      report({ type: 'done', delivered, p99Ms: delays[Math.floor(delays.length * 0.99)] ?? Number.NaN });
      process.disconnect?.();
    });
  }
}

process.once('message', order => read(order as ReadersOrder));
