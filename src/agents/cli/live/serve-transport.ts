import { randomBytes } from 'node:crypto';
import { Agent, type ClientRequest, get, type IncomingMessage, request as sendRequest } from 'node:http';
import { parseJson } from '../../../base/parse-json.ts';
import { lineText, LineReader } from '../../process/line-reader.ts';
import { type ProcessExit, type ProcessLine, ProcessRun } from '../../process/run-process.ts';
import { type ServeRequest, type ServeResponse, serveRequest } from '../contract/serve-message.ts';
import type { ChannelTransport, TransportOptions } from './channel-transport.ts';

/**
 * Starts a program that serves HTTP on the loopback interface, protected by a random password. Messages to it are
 * requests; its messages are the responses and the data of its server-sent events. The program has ended for its reader
 * when its event stream has.
 */
export function serveTransport(options: TransportOptions): ChannelTransport {
  return new ServeTransport(options);
}

const healthMs = 100;
/** The limit of buffered bytes: above it the server has to wait for the reader. */
const mostWaiting = 1024 * 1024;

class ServeTransport implements ChannelTransport {
  readonly exit: Promise<ProcessExit>;
  readonly turns: ChannelTransport['turns'];
  readonly #run: ProcessRun;
  readonly #authorization: string;
  readonly #lines: ProcessLine[] = [];
  /** Messages that wait for the server. */
  #unsent: string[] = [];
  #requests: ServeRequests | undefined;
  #stream: IncomingMessage | undefined;
  #opening: ClientRequest | undefined;
  #waiting = 0;
  #isKept = true;
  #isEnding = false;
  #hasEnded = false;
  #wake: () => void = () => {};

  constructor({ serve, ...options }: TransportOptions) {
    const { user = '', passwordVariable = '' } = serve ?? {};
    const password = randomBytes(24).toString('base64url');
    this.#authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    const env = { ...options.env, [passwordVariable]: password };
    this.#run = new ProcessRun({ ...options, env, hasTurns: true });
    this.turns = this.#run;
    this.exit = this.#run.exit;
    void this.#readOutput();
  }

  get isRunning(): boolean {
    return this.#run.isRunning && !this.#hasEnded;
  }

  send(message: string): void {
    if (this.#requests === undefined) this.#unsent.push(message);
    else void this.#request(this.#requests, message);
  }

  async next(): Promise<ProcessLine | undefined> {
    while (this.#lines.length === 0 && !this.#hasEnded) await new Promise<void>(resolve => (this.#wake = resolve));
    const line = this.#lines.shift();
    this.#waiting -= line?.bytes.length ?? 0;
    if (this.#waiting < mostWaiting) this.#stream?.resume();
    return line;
  }

  keepAlive(isKept: boolean): void {
    this.#isKept = isKept;
    this.#run.keepAlive(isKept);
    this.#stream?.socket[isKept ? 'ref' : 'unref']();
  }

  async dispose(): Promise<void> {
    this.#isEnding = true;
    await this.#run.dispose();
  }

  /** Reads what the program prints: its address, and lines of stderr; other lines are its own log. */
  async #readOutput(): Promise<void> {
    for (let line = await this.#run.next(); line !== undefined; line = await this.#run.next()) {
      if (line.stream === 'stderr') this.#push(line);
      else {
        const [, url] = /listening on (http:\/\/\S+)/.exec(lineText(line.bytes)) ?? [];
        if (url !== undefined && this.#opening === undefined)
          this.#whenHealthy({ url, authorization: this.#authorization });
      }
    }
    this.#requests?.close();
    this.#stream?.destroy();
    this.#hasEnded = true;
    this.#wake();
  }

  #whenHealthy(address: ServeAddress): void {
    const requests = new ServeRequests(address);
    void requests.send({ id: 0, method: 'GET', path: '/global/health' }).then(({ status }) => {
      if (!this.#run.isRunning) requests.close();
      else if (status === 200) this.#connect(address, requests);
      else setTimeout(() => this.#whenHealthy(address), healthMs).unref();
    });
  }

  /** Opens the event stream; requests follow when it is open, so that no event is missed. */
  #connect({ url, authorization }: ServeAddress, requests: ServeRequests): void {
    const ended = (reason: string) => this.#giveUp(`Its event stream ended: ${reason}`);
    this.#opening = get(new URL('/event', url), { headers: { authorization } }, stream => {
      const reader = new LineReader();
      this.#stream = stream;
      if (!this.#isKept) stream.socket.unref();
      stream.on('data', (chunk: Buffer) => {
        for (const { kind, bytes } of reader.push(chunk)) if (kind === 'line') this.#takeEventLine(bytes, requests);
        if (this.#waiting >= mostWaiting) stream.pause();
      });
      stream.on('error', () => {});
      stream.on('close', () => ended(`HTTP ${stream.statusCode}`));
    });
    this.#opening.on('error', error => ended(error.message));
  }

  /** Events are one line of data; the heartbeat carries nothing. */
  #takeEventLine(bytes: Uint8Array, requests: ServeRequests): void {
    const [, data] = /^data: ?(.*)$/s.exec(lineText(bytes)) ?? [];
    if (data === undefined || /"type":"server\.heartbeat"/.test(data.slice(0, 200))) return;
    this.#message(data);
    if (this.#requests !== undefined) return;
    this.#requests = requests;
    const unsent = this.#unsent;
    this.#unsent = [];
    for (const message of unsent) this.send(message);
  }

  async #request(requests: ServeRequests, message: string): Promise<void> {
    const request = serveRequest.safeParse(parseJson(message)).data;
    if (request !== undefined) this.#message(JSON.stringify({ response: await requests.send(request) }));
  }

  #message(text: string): void {
    this.#push({ kind: 'line', stream: 'stdout', bytes: Buffer.from(`${text}\n`) });
  }

  /** Ends a program that cannot be reached; the reason is a line of its stderr. */
  #giveUp(reason: string): void {
    if (this.#isEnding || !this.#run.isRunning) return;
    this.#push({ kind: 'line', stream: 'stderr', bytes: Buffer.from(`${reason}\n`) });
    void this.dispose();
  }

  #push(line: ProcessLine): void {
    this.#lines.push(line);
    this.#waiting += line.bytes.length;
    this.#wake();
  }
}

/** How a local server is reached. */
interface ServeAddress {
  readonly url: string;
  readonly authorization: string;
}

/** The time that a request may take. */
const requestMs = 60_000;

/** Sends requests to a local server in order, each after the previous response, and reads whole responses. */
class ServeRequests {
  readonly #address: ServeAddress;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  /** For requests that last a turn. */
  readonly #turnAgent = new Agent();
  #last: Promise<unknown> = Promise.resolve();

  constructor(address: ServeAddress) {
    this.#address = address;
  }

  /** Resolves with the response, or with the status 0 without one; never rejects. */
  send(message: ServeRequest): Promise<ServeResponse> {
    const response = this.#last.then(() => this.#request(message));
    if (message.lastsTurn !== true) this.#last = response;
    return response;
  }

  close(): void {
    this.#agent.destroy();
    this.#turnAgent.destroy();
  }

  #request({ id, method, path, body, lastsTurn = false }: ServeRequest): Promise<ServeResponse> {
    const { url, authorization } = this.#address;
    const content = body === undefined ? undefined : JSON.stringify(body);
    return new Promise(resolve => {
      const fail = (error: Error) => resolve({ id, status: 0, body: error.message });
      const headers = { authorization, ...(content !== undefined && { 'content-type': 'application/json' }) };
      const connection = lastsTurn
        ? { agent: this.#turnAgent }
        : { agent: this.#agent, signal: AbortSignal.timeout(requestMs) };
      const sent = sendRequest(new URL(path, url), { method, headers, ...connection }, response => {
        readBody(response).then(
          text => resolve({ id, status: response.statusCode ?? 0, body: parseJson(text, text) }),
          fail,
        );
      });
      sent.on('error', fail);
      sent.end(content);
    });
  }
}

async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks).toString('utf8');
}
