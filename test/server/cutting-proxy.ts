import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A wire between clients and a server that is cut at random: after some bytes, or after some time. */
export class CuttingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #random: () => number;
  /** Whether it cuts; when not, it only passes bytes on. */
  isCutting = true;
  cuts = 0;

  constructor(target: () => number, random: () => number) {
    this.#random = random;
    this.#server = createServer(socket => this.#join(socket, connect(target(), '127.0.0.1')));
  }

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #join(client: Socket, onward: Socket): void {
    let room = Math.floor(20 + this.#random() ** 3 * 20_000);
    const cut = () => {
      if (!this.isCutting || client.destroyed) return;
      this.cuts++;
      if (this.#random() < 0.5) client.resetAndDestroy();
      else client.destroy();
    };
    const timer = setTimeout(cut, 20 + this.#random() * 1500);
    for (const socket of [client, onward]) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        clearTimeout(timer);
        this.#sockets.delete(socket);
        client.destroy();
        onward.destroy();
      });
    }
    client.pipe(onward);
    onward.on('data', (chunk: Buffer) => {
      const passed = this.isCutting ? chunk.subarray(0, Math.max(0, room)) : chunk;
      room -= chunk.length;
      client.write(passed, () => {
        if (room <= 0) cut();
      });
    });
    onward.on('end', () => client.end());
  }
}
