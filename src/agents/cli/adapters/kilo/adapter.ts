import { type CliAdapter, providerKeys } from '../../contract/cli-adapter.ts';
import { autoRejection } from '../opencode/adapter.ts';
import { opencodeCommand } from '../opencode/command.ts';
import { serveAdapter } from '../opencode/live/live-adapter.ts';
import { opencodeSession } from '../opencode/session.ts';
import { opencodeTranslator } from '../opencode/translate.ts';

const live = serveAdapter({
  name: 'Kilo Code',
  prefix: 'KILO',
  user: 'kilo',
  // Suggestions have no counterpart here, and would wait for an answer.
  permission: { semantic_search: 'allow', suggest: 'deny' },
  agents: {},
  modes: [
    { id: 'code', name: 'Code', description: 'Asks before it changes files or runs commands' },
    { id: 'plan', name: 'Plan', description: 'Makes a plan, and changes nothing before it is approved' },
    { id: 'ask', name: 'Ask', description: 'Answers questions and changes nothing' },
    { id: 'debug', name: 'Debug', description: 'Looks for the cause of a problem' },
    { id: 'orchestrator', name: 'Orchestrator', description: 'Gives parts of the work to subagents' },
  ],
});

/** Kilo Code, a fork of OpenCode: the same flags and records, with additional tools. */
export const kiloAdapter: CliAdapter = {
  id: 'kilo',
  name: 'Kilo Code',
  executable: 'kilo',
  install: 'npm install -g @kilocode/cli',
  credentials: { variables: providerKeys, files: ['.local/share/kilo/auth.json', '.config/kilo/kilo.json'] },
  login: 'run `kilo auth login`, or set the key of a provider, such as ANTHROPIC_API_KEY',
  environment: [/^KILO(CODE)?_/, /_(API_KEY|API_TOKEN|BASE_URL)$/, /^(AWS|GOOGLE|AZURE)_/],
  versions: ['7.7.9'],
  denial: autoRejection,
  session: opencodeSession('kilo'),
  live,
  command: opencodeCommand,
  translator: opencodeTranslator,
};
