import { adapterNamed } from '../agents/cli/adapters/adapter-named.ts';
import { standardOutput } from '../control/standard-output.ts';
import { listEnvironment } from '../agents/process/environment.ts';
import { loadSettings } from './settings/settings.ts';

/** `singletree debug env`: the names of the variables that `bash`, or an external agent, gets and does not get. */
export async function environmentCommand(
  agent: string | undefined,
  { cwd = '.', json = false }: { readonly cwd?: string; readonly json?: boolean },
): Promise<void> {
  const needed = agent === undefined ? [] : adapterNamed(agent).environment;
  const { environment: policy } = await loadSettings(cwd);
  const { passed, withheld } = listEnvironment(process.env, { policy, needed });
  const set = Object.keys(policy.set ?? {});
  if (json) await standardOutput.writeJson({ base: policy.base, passed, withheld, set });
  else
    for (const [title, names] of Object.entries({ passed, withheld, set }))
      if (names.length > 0) await standardOutput.write(`${title}\n${names.map(name => `  ${name}\n`).join('')}`);
}
