/** A page of the server's own; `body` is HTML. */
export function htmlPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="/login.css">
</head>
<body>
${body}
</body>
</html>
`;
}

/** Escapes text for HTML content and attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}

/** The page on which a person enters the token. It works without scripts. */
export function loginPage({ next, problem }: { next: string; problem?: string }): string {
  const alert = problem === undefined ? '' : `<p role="alert">${escapeHtml(problem)}</p>`;
  return htmlPage(
    'Sign in · Singletree',
    `<main class="sign-in">
<h1>Singletree</h1>
${alert}
<form method="post" action="/login">
<input type="hidden" name="next" value="${escapeHtml(next)}">
<label>Token <input name="token" type="password" autocomplete="current-password" required autofocus></label>
<button>Sign in</button>
</form>
<p>The link that <code>singletree serve</code> prints signs you in.</p>
</main>`,
  );
}

/** The style of the server's own pages. */
export const loginStyle = `:root {
  color-scheme: light dark;
  --ground: light-dark(#f7f6f3, #161614);
  --surface: light-dark(#ffffff, #1f1f1c);
  --line: light-dark(#e2dfd7, #33322d);
  --ink: light-dark(#23221f, #ebe9e3);
  --ink-soft: light-dark(#5f5c55, #b3afa5);
  --accent: light-dark(#2f6b4d, #7fc29d);
  --accent-ink: light-dark(#ffffff, #10241a);
  --bad: light-dark(#b3352c, #ef8a80);
  font: 15px/1.5 ui-sans-serif, system-ui, -apple-system, "Segoe UI", sans-serif;
}
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem; background: var(--ground); color: var(--ink); }
.sign-in { max-width: 22rem; margin: 15vh auto; padding: 1.5rem; border: 1px solid var(--line); border-radius: 14px; background: var(--surface); }
h1 { margin: 0 0 1rem; font-size: 1.5rem; letter-spacing: -0.02em; }
form { display: grid; gap: 1rem; }
label { display: grid; gap: 0.25rem; color: var(--ink-soft); }
input, button { font: inherit; padding: 0.5rem 0.75rem; border: 1px solid var(--line); border-radius: 8px; color: var(--ink); background: var(--ground); }
input:focus { outline: 2px solid var(--accent); outline-offset: -1px; }
button { background: var(--accent); border-color: var(--accent); color: var(--accent-ink); font-weight: 600; cursor: pointer; }
[role=alert] { border-left: 4px solid var(--bad); padding-left: 0.75rem; }
section { border-top: 1px solid var(--line); padding: 1rem 0; }
h3 { font-size: 1rem; margin: 0; }
h3 b { display: inline-block; min-width: 4rem; text-transform: uppercase; color: var(--accent); }
code, pre { font-family: ui-monospace, monospace; font-size: 0.85rem; }
pre { overflow: auto; background: var(--surface); border: 1px solid var(--line); border-radius: 8px; padding: 0.75rem; }
td, th { text-align: left; vertical-align: top; padding: 0.15rem 1rem 0.15rem 0; }
`;
