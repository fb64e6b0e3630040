import type { Context } from 'hono';
import * as z from 'zod';
import { checkContentType, readText } from '../request-input.ts';
import { type AppEnv, type Route, route } from '../route.ts';
import { cookieName } from '../security/access.ts';
import { Refusal } from '../problem-response.ts';
import type { Site } from '../site.ts';
import { loginPage, loginStyle } from '../html-pages.ts';

const tag = 'Sign in';
const form = 'application/x-www-form-urlencoded';
const thirtyDays = 30 * 24 * 60 * 60;

/** Creates the routes where a browser exchanges a token for a cookie. */
export function loginRoutes(site: Site): Route[] {
  const { access } = site;
  const signIn = (context: Context<AppEnv>, fields: { readonly next: string | undefined; readonly token: string }) => {
    const next = localPath(fields.next);
    try {
      const cookie = access.isOpen ? undefined : access.signIn(fields.token, getAddress(context));
      return redirect(next, cookie && setCookie(context, cookie, thirtyDays));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return html(loginPage({ next, problem: error.message }), error.status, error.headers);
    }
  };
  return [
    route(tag, 'GET /login', {
      right: 'none',
      summary: 'The page on which a person enters the token; a link with the token exchanges it at once',
      query: z.object({
        next: z.string().max(2000).optional().describe('where to go then'),
        token: z.string().max(2000).optional().describe('a token, or a key that stands for one once'),
      }),
      answer: { contentType: 'text/html', description: 'The page' },
      handle: ({ context, query: { next, token } }) =>
        token === undefined ? html(loginPage({ next: localPath(next) })) : signIn(context, { next, token }),
    }),
    route(tag, 'POST /login', {
      right: 'none',
      summary: 'Exchange a token for a cookie',
      upload: { contentType: form, description: 'The fields `token` and `next`' },
      status: 303,
      handle: async ({ context }) => {
        checkContentType(context.req, form);
        const fields = new URLSearchParams(await readText(context.req.raw.body, 16 * 1024));
        return signIn(context, { next: fields.get('next') ?? undefined, token: fields.get('token') ?? '' });
      },
    }),
    route(tag, 'POST /logout', {
      right: 'none',
      summary: 'Forget the cookie',
      status: 303,
      handle: ({ context }) => redirect('/login', setCookie(context, '', 0)),
    }),
    route(tag, 'GET /login.css', {
      right: 'none',
      summary: 'How the sign-in page and the reference look',
      answer: { contentType: 'text/css', description: 'The style sheet' },
      handle: () => new Response(loginStyle, { headers: { 'content-type': 'text/css; charset=utf-8' } }),
    }),
  ];
}

/** Returns the remote address of a request; `unknown` when the runtime does not provide it. */
export function getAddress(context: Context<AppEnv>): string {
  return context.env?.incoming?.socket?.remoteAddress ?? 'unknown';
}

/** Returns the path when it stays on this server, else `/`, to prevent open redirects. */
function localPath(next = '/'): string {
  return /^\/(?![/\\])[^\\\s]*$/.test(next) ? next : '/';
}

function html(page: string, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  const own = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };
  return new Response(page, { status, headers: { ...headers, ...own } });
}

function redirect(location: string, cookie: string | undefined): Response {
  return new Response(null, { status: 303, headers: { location, ...(cookie && { 'set-cookie': cookie }) } });
}

function setCookie(context: Context<AppEnv>, value: string, maxAge: number): string {
  const secure = context.req.header('origin')?.startsWith('https:') ? '; Secure' : '';
  return `${cookieName}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAge}${secure}`;
}
