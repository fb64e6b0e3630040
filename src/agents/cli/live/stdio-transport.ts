import { ProcessRun } from '../../process/run-process.ts';
import type { ChannelTransport, TransportOptions } from './channel-transport.ts';

/** Starts a program whose messages are the lines of its standard input and output. */
export function stdioTransport(options: TransportOptions): ChannelTransport {
  const run = new ProcessRun({ ...options, isInteractive: true, hasTurns: true });
  return {
    get isRunning() {
      return run.isRunning;
    },
    exit: run.exit,
    // A program that reads no more has ended, or ends: its exit is what is reported.
    send: message => void run.send(`${message}\n`).catch(() => {}),
    next: () => run.next(),
    keepAlive: isKept => run.keepAlive(isKept),
    turns: run,
    dispose: () => run.dispose(),
  };
}
