const safe = /^(?:https?:\/\/|mailto:)/i;

/** Returns where a link may lead: to http, https and mail addresses; undefined for anything else. */
export function safeLink(href: string): string | undefined {
  // Browsers ignore control characters in a scheme, such as "java\nscript:".
  // oxlint-disable-next-line no-control-regex
  const target = href.replaceAll(/[\u0000-\u0020]/g, '');
  return safe.test(target) ? href.trim() : undefined;
}
