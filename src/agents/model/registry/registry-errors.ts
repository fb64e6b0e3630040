import { SingletreeError } from '../../../base/singletree-error.ts';

/** The two halves of `provider/model`; the model may hold further slashes. */
export function splitModelId(modelId: string): { provider: string; model: string } {
  const slash = modelId.indexOf('/');
  const provider = modelId.slice(0, slash);
  const model = modelId.slice(slash + 1);
  if (slash > 0 && model !== '') return { provider, model };
  throw new SingletreeError(
    'invalid_argument',
    `${JSON.stringify(modelId)} is not a model id. Expected "provider/model", such as "anthropic/claude-sonnet-4-5".`,
    { details: { modelId } },
  );
}

/** The id names no provider, and not exactly one configured provider has the model; lists the full ids. */
export function bareModelId(modelId: string, candidates: string[], isConfigured: boolean): SingletreeError {
  const remedy =
    candidates.length === 0
      ? 'Expected "provider/model", such as "anthropic/claude-sonnet-4-5".'
      : `Use ${candidates.map(id => JSON.stringify(id)).join(' or ')}.`;
  const problem = isConfigured ? 'may be one of several providers' : 'names no provider that is configured';
  return new SingletreeError('invalid_argument', `The model id ${JSON.stringify(modelId)} ${problem}. ${remedy}`, {
    details: { modelId, candidates },
  });
}

/** The provider id contains characters that a model id cannot carry. */
export function invalidId(id: string): SingletreeError {
  return new SingletreeError(
    'invalid_argument',
    `${JSON.stringify(id)} cannot be the id of a provider. Expected letters, digits, dots, dashes and underscores.`,
    { details: { id } },
  );
}

/** Unknown provider id; lists the known ones. */
export function unknownProvider(modelId: string, provider: string, known: string[]): SingletreeError {
  return new SingletreeError(
    'unknown_provider',
    `Unknown provider "${provider}" of the model "${modelId}". Known providers: ${known.join(', ')}. Register others with register().`,
    { details: { modelId, provider, known } },
  );
}

/** The key is not set; names the variable that holds it. */
export function missingKey(provider: string, envVar: string): SingletreeError {
  return new SingletreeError(
    'missing_api_key',
    `The provider "${provider}" has no API key. Set the environment variable ${envVar}.`,
    { details: { provider, envVar } },
  );
}

/** The base URL is not set; names the variable that holds it. */
export function missingBaseURL(provider: string, envVar: string): SingletreeError {
  return new SingletreeError(
    'missing_base_url',
    `The provider "${provider}" has no base URL. Set the environment variable ${envVar}.`,
    { details: { provider, envVar } },
  );
}
