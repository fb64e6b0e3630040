/** An external coding agent as a person would install it. */
export interface KnownProgram {
  readonly id: string;
  readonly name: string;
  readonly executable: string;
  readonly install: string;
  /** Variables and files, relative to the home folder, of which one tells that somebody is logged in. */
  readonly credentials: { readonly variables: readonly string[]; readonly files: readonly string[] };
}

const providerKeys = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY', 'GEMINI_API_KEY'];

/** The external coding agents there are, whether or not they can be run here yet. */
export const knownPrograms: readonly KnownProgram[] = [
  {
    id: 'codex',
    name: 'Codex',
    executable: 'codex',
    install: 'npm install -g @openai/codex',
    credentials: { variables: ['CODEX_API_KEY', 'OPENAI_API_KEY'], files: ['.codex/auth.json'] },
  },
  {
    id: 'claude',
    name: 'Claude Code',
    executable: 'claude',
    install: 'npm install -g @anthropic-ai/claude-code',
    credentials: {
      variables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
      files: ['.claude/.credentials.json'],
    },
  },
  {
    id: 'pi',
    name: 'Pi',
    executable: 'pi',
    install: 'npm install -g @earendil-works/pi-coding-agent',
    credentials: { variables: providerKeys, files: ['.pi/agent/auth.json', '.pi/agent/models.json'] },
  },
  {
    id: 'cline',
    name: 'Cline',
    executable: 'cline',
    install: 'npm install -g cline',
    credentials: { variables: [], files: ['.cline/data/settings/providers.json'] },
  },
  {
    id: 'goose',
    name: 'Goose',
    executable: 'goose',
    install: 'see https://block.github.io/goose',
    credentials: { variables: providerKeys, files: ['.config/goose/config.yaml'] },
  },
  {
    id: 'kilo',
    name: 'Kilo Code',
    executable: 'kilo',
    install: 'npm install -g @kilocode/cli',
    credentials: { variables: providerKeys, files: ['.local/share/kilo/auth.json', '.config/kilo/kilo.json'] },
  },
  {
    id: 'opencode',
    name: 'OpenCode',
    executable: 'opencode',
    install: 'npm install -g opencode-ai',
    credentials: {
      variables: providerKeys,
      files: ['.local/share/opencode/auth.json', '.config/opencode/opencode.json'],
    },
  },
  {
    id: 'antigravity',
    name: 'Antigravity',
    executable: 'antigravity',
    install: 'see https://antigravity.google',
    credentials: { variables: [], files: [] },
  },
];
