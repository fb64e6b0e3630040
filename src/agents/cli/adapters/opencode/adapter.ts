import { type CliAdapter, providerKeys } from '../../contract/cli-adapter.ts';
import { opencodeCommand } from './command.ts';
import { serveAdapter } from './live/live-adapter.ts';
import { opencodeTranslator } from './translate.ts';
import { opencodeSession } from './session.ts';

/** Matches the message of OpenCode and Kilo Code when they reject a permission because they cannot ask a user. */
export const autoRejection = /permission requested: .*auto-rejecting/;

const live = serveAdapter({
  name: 'OpenCode',
  prefix: 'OPENCODE',
  user: 'opencode',
  permission: { plan_exit: 'deny' },
  // Its own agents deny some tools, which the settings for all agents would allow to be asked about.
  agents: {
    plan: { edit: { '*': 'deny', '*plans/*.md': 'ask' }, task: { general: 'deny' }, plan_exit: 'allow' },
    explore: { edit: 'deny', task: 'deny', todowrite: 'deny', question: 'deny' },
    general: { todowrite: 'deny', question: 'deny' },
  },
  modes: [
    { id: 'build', name: 'Build', description: 'Asks before it changes files or runs commands' },
    { id: 'plan', name: 'Plan', description: 'Makes a plan, and changes nothing before it is approved' },
  ],
});

/** OpenCode. */
export const opencodeAdapter: CliAdapter = {
  id: 'opencode',
  name: 'OpenCode',
  executable: 'opencode',
  install: 'npm install -g opencode-ai',
  credentials: {
    variables: providerKeys,
    files: ['.local/share/opencode/auth.json', '.config/opencode/opencode.json'],
  },
  login: 'run `opencode auth login`, or set the key of a provider, such as ANTHROPIC_API_KEY',
  environment: [/^OPENCODE_/, /_(API_KEY|API_TOKEN|BASE_URL)$/, /^(AWS|GOOGLE|AZURE)_/],
  versions: ['1.18.33'],
  denial: autoRejection,
  session: opencodeSession('opencode'),
  live,
  command: opencodeCommand,
  translator: opencodeTranslator,
};
