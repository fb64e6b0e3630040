import type { ConfigValue } from './merge-config.ts';

const secretName = /(^|\.)(token|key|secret|password|authorization|apiKey)$/i;

/** Returns a value as it may be shown: secrets are masked, also a password in a URL. */
export function masked({ path, value }: Pick<ConfigValue, 'path' | 'value'>): unknown {
  if (typeof value === 'string')
    return secretName.test(path) || path.startsWith('env.set.') ? '***' : withoutPassword(value);
  if (Array.isArray(value))
    return value.map((item, index) => masked({ path: `${path}.${index}`, value: item as unknown }));
  if (typeof value === 'function') return '(code)';
  if (typeof value !== 'object' || value === null) return value;
  if (/^agents\.\d+$/.test(path) && 'id' in value) return value.id;
  const isSecretTable = /(^|\.)(env|headers)$/.test(path);
  return Object.fromEntries(
    Object.entries(value).map(([key, field]: [string, unknown]) => [
      key,
      isSecretTable && typeof field === 'string' ? '***' : masked({ path: `${path}.${key}`, value: field }),
    ]),
  );
}

function withoutPassword(text: string): string {
  return text.replace(/^([a-z][a-z\d+.-]*:\/\/[^/@:]*):[^/@]*@/i, '$1:***@');
}
