import * as z from 'zod';
import { once } from '../../../base/once.ts';
import { optionsCheck } from '../../../base/options/check-options.ts';
import { milliseconds, object } from '../../../base/options/option-fields.ts';
import type { CompatibleProvider } from '../../contract/model.ts';

/** A server of models on this machine, and the models it has. */
export interface LocalServer {
  readonly provider: CompatibleProvider;
  readonly models: readonly string[];
}

const usual = [
  { id: 'ollama', name: 'Ollama', port: 11_434 },
  { id: 'lmstudio', name: 'LM Studio', port: 1234 },
  { id: 'llamacpp', name: 'llama.cpp', port: 8080 },
  { id: 'vllm', name: 'vLLM', port: 8000 },
] as const;

const modelList = once(() => z.object({ data: z.array(z.object({ id: z.string() })) }));

export interface LocalServersOptions {
  /** The ports to look at, by the id of the server. Default: the usual ones. */
  readonly ports?: Readonly<Record<string, number>>;
  /** The time to wait for an answer, in milliseconds. Default: 500. */
  readonly timeoutMs?: number;
}

const checkOptions = optionsCheck<LocalServersOptions>('findLocalServers')(() => ({
  ports: object().optional(),
  timeoutMs: milliseconds().optional(),
}));

/** Finds the servers with an API like OpenAI's on the loopback address; never looks anywhere else. */
export async function findLocalServers(options: LocalServersOptions = {}): Promise<LocalServer[]> {
  checkOptions(options);
  const { ports = {}, timeoutMs = 500 } = options;
  const found = await Promise.all(
    usual.map(async ({ id, name, port }) => {
      const baseURL = `http://127.0.0.1:${ports[id] ?? port}/v1`;
      const models = await listServerModels(baseURL, { timeoutMs });
      return models === undefined ? [] : [{ provider: { id, name, baseURL }, models }];
    }),
  );
  return found.flat();
}

/** Returns the names of the models that a server with an API like OpenAI's has; undefined when it does not answer with a list. */
export async function listServerModels(
  baseURL: string,
  { timeoutMs, key }: { readonly timeoutMs: number; readonly key?: string | undefined },
): Promise<string[] | undefined> {
  try {
    const response = await fetch(`${baseURL.replace(/\/+$/, '')}/models`, {
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'error',
      ...(key !== undefined && { headers: { authorization: `Bearer ${key}` } }),
    });
    return modelList()
      .safeParse(await response.json())
      .data?.data.map(({ id }) => id);
  } catch {
    return undefined; // It is not there, or no such server.
  }
}
