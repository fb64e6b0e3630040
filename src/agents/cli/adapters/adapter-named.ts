import { SingletreeError } from '../../../base/singletree-error.ts';
import type { CliAdapter } from '../contract/cli-adapter.ts';
import { cliAdapters } from './cli-adapters.ts';

/** Returns an adapter by the name of its agent, or a given adapter; throws `invalid_argument` for any other value. */
export function adapterNamed(name: string | CliAdapter): CliAdapter {
  if (typeof name === 'object') {
    if (typeof name.translator === 'function') return name;
    throw new SingletreeError(
      'invalid_argument',
      'Expected the name of an external agent, or what defineCliAgent returns.',
    );
  }
  const adapter = Object.hasOwn(cliAdapters, name) ? cliAdapters[name] : undefined;
  if (adapter !== undefined) return adapter;
  const known = Object.keys(cliAdapters).join(', ');
  throw new SingletreeError('invalid_argument', `Unknown external agent "${name}". Known agents: ${known}.`);
}
