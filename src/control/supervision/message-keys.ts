/** The `once` key under which a message with an id of its sender is accepted. */
export function messageKey(id: string): string {
  return `message:${id}`;
}

/** The `once` key under which a waiting message is delivered by the `user` event with its id. */
export function deliveredKey(id: string): string {
  return `delivered:${id}`;
}
