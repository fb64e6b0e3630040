import { createRedactor } from '../redaction/redactor.ts';
import type { McpServer } from '../contract/mcp-server.ts';

/** Shorter values are not secrets, and hiding them would make every text unreadable. */
const shortest = 4;
/** A path segment of at least this length counts as a key. */
const shortestKey = 16;

/**
 * Creates a function that hides the secrets of a server: the values of its environment and headers, the credentials in
 * its address.
 */
export function redactor(server: McpServer): (text: string) => string {
  const secrets = 'url' in server ? addressSecrets(server.url, server.headers) : Object.values(server.env ?? {});
  return createRedactor(secrets, { shortest, mark: '[hidden]' }).text;
}

function addressSecrets(address: string, headers: Readonly<Record<string, string>> = {}): string[] {
  const { username, password, pathname, search, searchParams } = new URL(address);
  const values = Object.values(headers);
  // In "Bearer abc" the token alone is a secret too, and some servers have theirs in the path.
  const words = values.flatMap(value => value.split(/\s+/).slice(1));
  const keys = pathname.split('/').filter(part => part.length >= shortestKey);
  return [...values, ...words, ...keys, username, password, decoded(password), search, ...searchParams.values()];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // It is not encoded.
  }
}
