import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { readMachineToken } from '../../src/cli/settings/machine-token.ts';
import { bareEnvironment } from './bare-environment.ts';

const command = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface Product {
  readonly url: string;
  /** The token of its machine; empty when it was given tokens, or none. */
  readonly token: string;
  /** The address that signs a browser in. */
  readonly link: string;
  readonly port: number;
  readonly process: ChildProcess;
  /** Everything it printed before it was ready, and since. */
  readonly output: string[];
  /** Ends it with a signal and waits until it is gone. */
  end(signal: NodeJS.Signals): Promise<void>;
}

export interface ProductOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The folder it is started in. */
  readonly cwd?: string;
}

/** Starts `singletree serve` as a person would, and waits until it prints its address. */
export async function startProduct(home: string, port = 0, more: ProductOptions = {}): Promise<Product> {
  const child = spawn(process.execPath, [command, 'serve', '--no-open', '--port', String(port)], {
    env: { ...bareEnvironment(), SINGLETREE_HOME: home, ...more.env },
    ...(more.cwd !== undefined && { cwd: more.cwd }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const output: string[] = [];
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const address = new Promise<string>((resolve, reject) => {
    lines.on('line', line => {
      output.push(line);
      const found = /http:\/\/\S+/.exec(line)?.[0];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', code => reject(new Error(`it ended with ${code}:\n${output.join('\n')}`)));
  });
  const url = await address;
  const token = readMachineToken(home) ?? '';
  return {
    url,
    token,
    link: `${url}/login?token=${token}`,
    port: Number(new URL(url).port),
    process: child,
    output,
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      await once(child, 'exit');
    },
  };
}
