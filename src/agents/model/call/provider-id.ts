/** Returns the id of a model's provider: the part of its name before the first dot. */
export function getProviderId({ provider }: { readonly provider: string }): string {
  return provider.split('.')[0] ?? provider;
}

/** Returns the name of a model, `provider/model`, which is the same for all APIs of the provider. */
export function modelName(model: { readonly provider: string; readonly modelId: string }): string {
  return `${getProviderId(model)}/${model.modelId}`;
}
