import { escapeHtml, htmlPage } from './html.ts';

/** The page on which a person enters the token. It works without scripts. */
export function loginPage({ next, problem }: { next: string; problem?: string }): string {
  const told = problem === undefined ? '' : `<p role="alert">${escapeHtml(problem)}</p>`;
  return htmlPage(
    'Sign in · Singletree',
    `<main class="sign-in">
<h1>Singletree</h1>
${told}
<form method="post" action="/login">
<input type="hidden" name="next" value="${escapeHtml(next)}">
<label>Token <input name="token" type="password" autocomplete="current-password" required autofocus></label>
<button>Sign in</button>
</form>
</main>`,
  );
}

/** The style of the server's own pages. */
export const loginStyle = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
.sign-in { max-width: 22rem; margin: 15vh auto; }
form { display: grid; gap: 1rem; }
label { display: grid; gap: 0.25rem; }
input, button { font: inherit; padding: 0.5rem; }
[role=alert] { border-left: 4px solid #c33; padding-left: 0.75rem; }
section { border-top: 1px solid #8885; padding: 1rem 0; }
h3 { font-size: 1rem; margin: 0; }
h3 b { display: inline-block; min-width: 4rem; text-transform: uppercase; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.85rem; }
pre { overflow: auto; background: #8881; padding: 0.75rem; }
td, th { text-align: left; vertical-align: top; padding: 0.15rem 1rem 0.15rem 0; }
`;
