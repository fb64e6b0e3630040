const passed: readonly RegExp[] = [
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|COLORTERM|LANG|TZ|TMPDIR|PWD|HOSTNAME|DISPLAY|SSH_AUTH_SOCK)$/,
  /^(LC_|XDG_|SSL_CERT_|NODE_EXTRA_CA_CERTS|GIT_)/,
  /^(https?|no|all)_proxy$/i,
];

/** Returns the environment of an external program: general variables, those it needs, and the requested ones. */
export function environmentFor(
  own: NodeJS.ProcessEnv,
  needed: readonly RegExp[],
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const patterns = [...passed, ...needed];
  const kept = Object.entries(own).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && patterns.some(pattern => pattern.test(entry[0])),
  );
  return { ...Object.fromEntries(kept), ...extra };
}
