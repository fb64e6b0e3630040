/** Returns the id of a model's provider: the part of its name before the first dot. */
export function providerIdOf({ provider }: { readonly provider: string }): string {
  return provider.split('.')[0] ?? provider;
}
