/** The providers whose names in the conventions differ from ours. */
const conventionNames: Readonly<Record<string, string>> = {
  google: 'gcp.gemini',
  'google-vertex': 'gcp.vertex_ai',
  'amazon-bedrock': 'aws.bedrock',
  bedrock: 'aws.bedrock',
  azure: 'azure.ai.openai',
  mistral: 'mistral_ai',
  xai: 'x_ai',
  moonshotai: 'moonshot_ai',
};

/** The vendors of external agents, for models without a provider in their name. */
const vendors: Readonly<Record<string, string>> = {
  claude: 'anthropic',
  codex: 'openai',
  gemini: 'gcp.gemini',
  antigravity: 'gcp.gemini',
  copilot: 'github',
  qwen: 'qwen',
};

/** The provider and the model as the conventions name them; absent where the log does not have them. */
export interface NamedModel {
  readonly provider?: string;
  readonly model?: string;
}

/** Names a model of the log, `provider/model` or as an external agent reports it. */
export function nameModel(model: string | undefined, agentId: string): NamedModel {
  const slash = model?.indexOf('/') ?? -1;
  const own = slash > 0 ? model?.slice(0, slash) : undefined;
  const provider = own === undefined ? lookUp(vendors, agentId) : (lookUp(conventionNames, own) ?? own);
  const name = slash > 0 ? model?.slice(slash + 1) : model;
  return { ...(provider !== undefined && { provider }), ...(name !== undefined && name !== '' && { model: name }) };
}

function lookUp(table: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
