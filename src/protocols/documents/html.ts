import type { ContentPart } from '../../events/content.ts';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import { visibleText } from '../../base/terminal-text.ts';
import { toNotice } from '../../projections/reading/notice.ts';
import type { FileDiff } from '../../projections/activity/file-diff.ts';
import type { OutputImage } from '../../projections/presentation/call-output.ts';
import { presentAnswer, presentRelay } from '../../projections/presentation/present-relay.ts';
import { presentEnd } from '../../projections/presentation/wording.ts';
import type { RelayPart, ReplPart, ToolPart, ViewNode, ViewPart } from '../../projections/reading/view-node.ts';
import { describeCall, shorten } from './call-details.ts';
import { html, Markup, nothing, proseHtml } from './html-prose.ts';
import { pageStyle, playerScript } from './html-page.ts';
import { getAuthor, describeThread, minute, PlaybackTimes, readDocument } from './thread-facts.ts';
import type { ThreadDocument } from './thread-document.ts';

/**
 * Returns the active branch of a thread as one self-contained page: it is readable without scripts, plays back with its
 * own script, and includes the events. Its content security policy allows only its own style and script.
 */
export async function toHtml(document: ThreadDocument): Promise<string> {
  const { title, facts } = describeThread(document);
  const page = new PageWriter(document.events);
  const policy = [
    "default-src 'none'",
    `style-src '${await hashSource(pageStyle)}'`,
    `script-src '${await hashSource(playerScript)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const messages = readDocument(document.events).map(node => page.message(node));
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${visibleText(title)}</title>
<style>${new Markup(pageStyle)}</style>
</head>
<body>
<header><h1 dir="auto">${visibleText(title)}</h1><p class="facts">${visibleText(facts.join(' · '))}</p></header>
<main>${messages}</main>
<footer>Written by Singletree ${document.version}. The events of the thread are in this file.</footer>
<script type="application/x-ndjson" id="events">
${eventLines(document.events)}</script>
<script>${new Markup(playerScript)}</script>
</body>
</html>
`.text;
}

/** The source of a policy that allows exactly this text. */
async function hashSource(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(hash)))}`;
}

/** Returns the events as lines of JSON in which nothing can end the element that holds them. */
function eventLines(events: readonly LoggedEvent[]): Markup {
  return new Markup(events.map(event => `${JSON.stringify(event).replaceAll('<', String.raw`\u003c`)}\n`).join(''));
}

class PageWriter {
  readonly #times: PlaybackTimes;

  constructor(events: readonly LoggedEvent[]) {
    this.#times = new PlaybackTimes(events);
  }

  message(node: ViewNode): Markup {
    const time = minute(this.#times.getTime(node.parts[0]) ?? '').slice(11);
    const head = [getAuthor(node), node.model ?? '', time].filter(text => text !== '').join(' · ');
    const end = presentEnd(node.status);
    const parts = node.parts.map((part, index) => this.#part(part, node, node.parts[index + 1]));
    return html`
<article class="${node.role}"${this.#at(node.parts[0])}>
<h2>${visibleText(head)}</h2>
${parts}${node.role === 'summary' ? proseHtml(node.text) : nothing}${end === undefined ? nothing : html`<p class="end">${end}</p>`}
</article>`;
  }

  /** The attributes that tell the player when a part appears and is complete. */
  #at(part: ViewPart | undefined, next?: ViewPart): Markup {
    const at = this.#times.getOffset(part);
    if (at === undefined) return nothing;
    const until = this.#times.getOffset(next);
    return until === undefined || until <= at ? html` data-at="${at}"` : html` data-at="${at}" data-until="${until}"`;
  }

  #part(part: ViewPart, node: ViewNode, next: ViewPart | undefined): Markup {
    switch (part.kind) {
      case 'text':
        return html`<div class="prose"${this.#at(part, next)}>${proseHtml(part.text)}</div>\n`;
      case 'reasoning':
        if (part.text.trim() === '') return nothing;
        return html`<details class="thought"${this.#at(part)}><summary>Thought</summary>${proseHtml(part.text)}</details>\n`;
      case 'user': {
        const by = node.role === 'user' ? nothing : html`<strong>${visibleText(part.by ?? 'User')}:</strong> `;
        return html`<div class="said" dir="auto"${this.#at(part)}>${by}${contentHtml(part.content)}</div>\n`;
      }
      case 'tool':
        return this.#call(part, node);
      case 'relay':
        return html`<div${this.#at(part)}>${relayHtml(part, node)}</div>\n`;
      case 'repl':
        return this.#execution(part);
      case 'run':
        return this.#runs(part.runs);
      default:
        return this.#fact(part.event);
    }
  }

  #call(tool: ToolPart, node: ViewNode): Markup {
    const { verb, object, facts, tone, diffs, input, output, images } = describeCall(tool);
    const body = [
      ...diffs.map(diffHtml),
      input === '' ? nothing : html`<pre>${visibleText(shorten(input, 60, 20))}</pre>`,
      output === '' ? nothing : html`<pre>${visibleText(shorten(output, 200, 100))}</pre>`,
      ...images.map(imageHtml),
    ];
    const relays = tool.relays.map(relay => relayHtml(relay, node));
    return html`<div${this.#at(tool)}><details data-tone="${tone}"><summary><strong>${visibleText(verb)}</strong> <span class="command">${visibleText(object)}</span>${facts.map(fact => html`<span class="fact">${fact}</span>`)}</summary>${body}</details>${relays}${this.#runs(tool.runs)}</div>
`;
  }

  #execution(part: ReplPart): Markup {
    const { code = '', printed, output, runs } = part;
    const shown = output?.stdout ?? printed.map(({ text }) => text).join('');
    const tone = output?.error === undefined ? 'good' : 'bad';
    return html`<div${this.#at(part)}><details data-tone="${tone}"><summary><strong>Code</strong> <span class="command">${visibleText(code.trim().split('\n', 1)[0] ?? '')}</span></summary><pre>${visibleText(code)}</pre></details>${shown === '' ? nothing : html`<pre>${visibleText(shorten(shown, 40, 20))}</pre>`}${output?.error === undefined ? nothing : html`<p class="notice" data-level="error">${visibleText(output.error)}</p>`}${this.#runs(runs)}</div>
`;
  }

  #runs(runs: readonly ViewNode[]): Markup {
    return runs.length === 0 ? nothing : html`<div class="runs">${runs.map(run => this.message(run))}</div>\n`;
  }

  #fact(event: LoggedEvent | Extract<ViewPart, { kind: 'fact' }>['event']): Markup {
    if (event.type === 'tasks') {
      const tasks = event.tasks.map(
        ({ status, content }) => html`<li>${status === 'completed' ? '☑' : '☐'} ${visibleText(content)}</li>`,
      );
      return html`<ul class="tasks">${tasks}</ul>\n`;
    }
    const notice = toNotice(event);
    if (notice === undefined) return nothing;
    return html`<p class="notice" data-level="${notice.level}">${visibleText(notice.message)}</p>\n`;
  }
}

function contentHtml(content: string | readonly ContentPart[]): Markup {
  if (typeof content === 'string') return html`${content}`;
  const parts = content.map(part => {
    if (part.type === 'text') return html`${part.text}`;
    if (part.type === 'image') return imageHtml(part);
    return html`<p class="facts">File: ${visibleText(part.filename ?? part.mediaType)}</p>`;
  });
  return html`${parts}`;
}

const raster = /^image\/(?:png|jpeg|gif|webp)$/;

function imageHtml({ mediaType, data }: OutputImage): Markup {
  const isShown = raster.test(mediaType) && /^[\w+/=-]+$/.test(data);
  if (!isShown) return html`<p class="facts">Image: ${visibleText(mediaType)}</p>`;
  return html`<img alt="An image of the conversation" src="data:${mediaType};base64,${data}">`;
}

function diffHtml({ path, hunks }: FileDiff): Markup {
  const lines = hunks.flatMap(hunk => hunk.lines).slice(0, 1_000);
  const shown = lines.map(
    ({ kind, text, old, new: now }) =>
      html`<span class="${kind}"><i>${now ?? old ?? ''}</i>${visibleText(text)}</span>`,
  );
  return html`<p class="facts">${visibleText(path)}</p><pre class="diff">${shown}</pre>`;
}

function relayHtml(part: RelayPart, { agentId }: ViewNode): Markup {
  const { summary } = presentRelay(part.relay, { agentId });
  return html`<div class="relay"><code>${visibleText(summary)}</code> → <strong>${visibleText(presentAnswer(part))}</strong></div>`;
}
