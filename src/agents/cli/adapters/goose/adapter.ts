import { type CliAdapter, providerKeys } from '../../contract/cli-adapter.ts';
import { gooseCommand } from './command.ts';
import { gooseLive } from './live.ts';
import { gooseTranslator } from './translate.ts';
import { gooseSession } from './session.ts';

/** Goose. */
export const gooseAdapter: CliAdapter = {
  id: 'goose',
  name: 'Goose',
  executable: 'goose',
  install: 'curl -fsSL https://github.com/block/goose/releases/download/stable/download_cli.sh | bash',
  credentials: { variables: providerKeys, files: ['.config/goose/config.yaml'] },
  login: 'run `goose configure`, or set GOOSE_PROVIDER, GOOSE_MODEL and the key of the provider',
  environment: [/^GOOSE_/, /_(API_KEY|HOST|BASE_URL|BASE_PATH)$/, /^(AWS|GOOGLE|GCP|AZURE|DATABRICKS)_/],
  versions: ['1.52.0'],
  denial: /Tool approval required in non-interactive mode/,
  session: gooseSession,
  live: gooseLive,
  command: gooseCommand,
  translator: gooseTranslator,
};
