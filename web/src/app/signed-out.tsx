import { Logo } from '../parts/icons.tsx';

/** The page for a user whose token the server rejects. */
export function SignedOut() {
  return (
    <main className="whole-page">
      <Logo />
      <h1>You are signed out</h1>
      <p>Your token is not valid any more. Drafts in this browser are kept.</p>
      <a className="button primary" href={`/login?next=${encodeURIComponent(location.pathname + location.search)}`}>
        Sign in
      </a>
    </main>
  );
}
