import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

type Direction = 'request' | 'response';

interface HalfWrite {
  readonly direction: Direction;
  readonly bytes: number;
}

/** A wire between clients and a server that tests cut, delay, stall, or break in the middle of what is written. */
export class FaultProxy {
  readonly #server: Server;
  readonly #clients = new Set<Socket>();
  readonly #held = new Set<() => void>();
  #halfWrite: HalfWrite | undefined;
  #isStalled = false;
  /** How long every piece of data is held back, in milliseconds. */
  delayMs = 0;
  /** Whether new connections are refused. */
  isDown = false;
  /** How many connections were cut. */
  cuts = 0;

  private constructor(target: () => { readonly host: string; readonly port: number }) {
    this.#server = createServer({ pauseOnConnect: true }, client => {
      if (this.isDown) client.resetAndDestroy();
      else {
        const { host, port } = target();
        this.#join(client, connect(port, host));
      }
    });
  }

  /** Listens on a free port; `url` returns the URL of the target, which may move. */
  static async open(url: () => string): Promise<FaultProxy> {
    const proxy = new FaultProxy(() => {
      const { hostname, port } = new URL(url());
      return { host: hostname, port: Number(port) };
    });
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  /** The URL of the target, through this proxy. */
  through(url: string): string {
    const changed = new URL(url);
    changed.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return changed.href;
  }

  /** How many connections are open. */
  get connections(): number {
    return this.#clients.size;
  }

  /** Cuts every connection. */
  cut(): void {
    for (const client of this.#clients) this.#cutOne(client);
  }

  /** Cuts the connection that next writes in this direction, after so many bytes of it passed. */
  cutAfter(direction: Direction, bytes: number): void {
    this.#halfWrite = { direction, bytes };
  }

  /** Holds everything back, without closing a connection, until the returned function is called. */
  stall(): () => void {
    this.#isStalled = true;
    return () => {
      this.#isStalled = false;
      for (const pass of this.#held) pass();
      this.#held.clear();
    };
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.destroy();
    this.#server.close();
    if (this.#server.listening) await once(this.#server, 'close');
  }

  #join(client: Socket, onward: Socket): void {
    this.#clients.add(client);
    for (const socket of [client, onward]) {
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#clients.delete(client);
        client.destroy();
        onward.destroy();
      });
    }
    this.#pass('request', client, onward);
    this.#pass('response', onward, client);
    client.resume();
  }

  /** Passes pieces on in order; each waits for the one before. */
  #pass(direction: Direction, from: Socket, to: Socket): void {
    const client = direction === 'request' ? from : to;
    let before: Promise<unknown> = Promise.resolve();
    from.on('data', (chunk: Buffer) => {
      before = before.then(async () => {
        if (this.delayMs > 0) await new Promise(resolve => setTimeout(resolve, this.delayMs));
        if (this.#isStalled) await new Promise<void>(resolve => this.#held.add(resolve));
        const half = this.#halfWrite;
        if (half?.direction !== direction) to.write(chunk);
        else {
          this.#halfWrite = undefined;
          to.write(chunk.subarray(0, half.bytes), () => this.#cutOne(client));
        }
      });
    });
    from.on('end', () => void before.then(() => to.end()));
  }

  #cutOne(client: Socket): void {
    this.cuts++;
    client.resetAndDestroy();
  }
}
