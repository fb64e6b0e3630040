import { Logo } from '../parts/icons.tsx';

/** What a person sees whose token the server does not know any more. */
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
