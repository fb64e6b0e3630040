import { standardError } from '../../control/standard-output.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { ModelProviderInfo } from '../../protocols/http-settings.ts';
import { tableLines } from '../print.ts';
import type { ProviderSettings } from './provider-settings.ts';

/**
 * Asks on the terminal for the key of a provider, stores and tests it, and returns a message for the user; an empty key
 * removes the stored one. Without a provider it lists them. `hide` gets the key before any output can contain it.
 */
export async function enterProviderKey(
  settings: ProviderSettings,
  provider: string,
  hide: (key: string) => void,
): Promise<string> {
  const providers = (await settings.list()).filter(({ variable }) => variable !== undefined);
  if (provider === '') return ['Enter a key with /key and the id of a provider:', ...listLines(providers)].join('\n');
  const known = providers.find(({ id }) => id === provider);
  if (known === undefined) {
    const ids = providers.map(({ id }) => id).join(', ');
    throw new SingletreeError(
      'unknown_provider',
      `There is no provider "${provider}" with a key. Expected one of: ${ids}.`,
    );
  }
  const question = known.isStored ? 'hidden; an empty one removes the stored key' : 'hidden';
  const key = (await readHiddenLine(`Key of ${known.name} (${question}): `)).trim();
  if (key === '') {
    if (!known.isStored) return 'No key was entered.';
    await settings.remove(provider);
    return `Removed the stored key of ${known.name}.`;
  }
  hide(key);
  await settings.store({ id: provider, key });
  const { isWorking, model = provider, problem = '' } = await settings.test(provider);
  const env = known.source === 'environment' ? ` ${known.variable ?? ''} is set and goes before it.` : '';
  const result = isWorking ? `it works, ${model} answered` : `it does not work: ${problem.replace(/\.$/, '')}`;
  return `Stored the key of ${known.name}: ${result}.${env}`;
}

function listLines(providers: readonly ModelProviderInfo[]): string[] {
  const words = { environment: 'key from the environment', stored: 'stored key' } as const;
  return tableLines(
    providers.map(({ id, name, source }) => [`  ${id}`, name, source in words ? words[source as 'stored'] : 'no key']),
  );
}

/** Reads a line of the terminal without showing it; empty when the person cancels. */
async function readHiddenLine(question: string): Promise<string> {
  const { stdin } = process;
  // Disable echo before the question, so that immediate input is not shown.
  stdin.setRawMode(true);
  await standardError.write(question);
  stdin.resume();
  try {
    return await new Promise<string>(resolve => {
      let line = '';
      const take = (bytes: Buffer) => {
        for (const character of bytes.toString('utf8')) {
          if (character === '\r' || character === '\n') return finish(line);
          if (character === '\u0003' || character === '\u001B') return finish('');
          line = character === '\u007F' ? line.slice(0, -1) : line + character;
        }
      };
      const finish = (result: string) => {
        stdin.off('data', take);
        resolve(result);
      };
      stdin.on('data', take);
    });
  } finally {
    stdin.pause();
    stdin.setRawMode(false);
    await standardError.write('\n');
  }
}
