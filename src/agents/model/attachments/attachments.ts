import type { LanguageModelV3, LanguageModelV3Message, LanguageModelV3Prompt } from '@ai-sdk/provider';
import { errorText } from '../../../base/error-text.ts';
import { modelName } from '../call/provider-id.ts';
import {
  attachmentText,
  isTextType,
  isUnspecific,
  readAttachment,
  textOfBase64,
  isRefusal,
  refusedType,
} from './attachment-data.ts';
import { download } from './download.ts';

type UserMessage = Extract<LanguageModelV3Message, { role: 'user' }>;
type UserPart = UserMessage['content'][number];
type FilePart = Extract<UserPart, { type: 'file' }>;

/** An attachment in the form that is sent to the model, or the reason that it is omitted. */
type Fitted = { readonly part: UserPart } | { readonly problem: string };

/** The names of the models that accepted an attachment, and of those that refused it. */
interface Standing {
  readonly accepted: Set<string>;
  readonly refused: Map<string, string>;
}

/** A prompt that a model accepts, and the problems with attachments that follow the last answer. */
export interface FittedPrompt {
  readonly prompt: LanguageModelV3Prompt;
  readonly problems: readonly string[];
}

const standings = new WeakMap<FilePart, Standing>();
const downloads = new WeakMap<FilePart, Promise<{ base64: string; mediaType: string } | { problem: string }>>();

/**
 * Adapts the attachments of a prompt to one model: inlines text when the model accepts no text files, downloads URLs
 * that the model cannot read, and replaces attachments that it does not accept by a note.
 */
export class Attachments {
  readonly #model: LanguageModelV3;
  /** The provider and its interface: two interfaces of one provider may accept different attachments. */
  readonly #name: string;
  #suspects: readonly FilePart[] = [];

  constructor(model: LanguageModelV3) {
    this.#model = model;
    this.#name = `${model.provider}/${model.modelId}`;
  }

  /** Returns the prompt with its attachments as the model accepts them; the prompt itself when it has none. */
  async fit(prompt: LanguageModelV3Prompt, signal: AbortSignal): Promise<FittedPrompt> {
    if (!prompt.some(hasFiles)) return { prompt, problems: [] };
    const lastAnswer = prompt.findLastIndex(({ role }) => role === 'assistant' || role === 'tool');
    const fitted = await Promise.all(prompt.map(message => this.#fitMessage(message, signal)));
    return {
      prompt: fitted.map(({ message }) => message),
      problems: fitted.slice(lastAnswer + 1).flatMap(({ problems }) => problems),
    };
  }

  /** Notes that the model accepted a prompt. */
  accept(prompt: LanguageModelV3Prompt): void {
    this.#suspects = [];
    for (const part of filesIn(prompt)) {
      const standing = getStanding(part);
      if (!standing.refused.has(this.#name)) standing.accepted.add(this.#name);
    }
  }

  /** Omits the attachments that may have caused a failure; returns false when none may be its cause. */
  leaveOut(prompt: LanguageModelV3Prompt, error: unknown): boolean {
    if (!isRefusal(error)) return false;
    const open = filesIn(prompt).filter(part => {
      const { accepted, refused } = getStanding(part);
      return !accepted.has(this.#name) && !refused.has(this.#name);
    });
    const named = open.filter(({ mediaType }) => refusedType(error, mediaType));
    const suspects = named.length > 0 ? named : open;
    for (const part of suspects) getStanding(part).refused.set(this.#name, describeReason(error));
    this.#suspects = [...this.#suspects, ...suspects];
    return suspects.length > 0;
  }

  /** Restores the attachments that were omitted because of failures: the model failed without them, too. */
  restore(): void {
    for (const part of this.#suspects) getStanding(part).refused.delete(this.#name);
    this.#suspects = [];
  }

  async #fitMessage(message: LanguageModelV3Message, signal: AbortSignal) {
    if (!hasFiles(message)) return { message, problems: [] };
    const problems: string[] = [];
    const fitted = await Promise.all(
      message.content.map(async part => (part.type === 'file' ? this.#fitPart(part, signal) : { part })),
    );
    const content = message.content.map((part, at): UserPart => {
      const result = fitted[at];
      if (part.type !== 'file' || result === undefined) return part;
      if ('part' in result) return result.part;
      problems.push(`${getName(part)} was not sent to "${modelName(this.#model)}": ${result.problem}.`);
      return { type: 'text', text: `[${getName(part)} was left out: ${result.problem}.]` };
    });
    return { message: { ...message, content }, problems };
  }

  async #fitPart(part: FilePart, signal: AbortSignal): Promise<Fitted> {
    const refused = getStanding(part).refused.get(this.#name);
    if (refused !== undefined) return { problem: refused };
    if (part.data instanceof Uint8Array) return { part };
    let data = readAttachment(part.data, part.mediaType);
    if ('url' in data) {
      if (await this.#readsUrl(data)) return { part: { ...part, data: data.url, mediaType: data.mediaType } };
      data = await downloaded(part, data, signal);
    }
    if ('problem' in data) return data;
    const { base64, mediaType } = data;
    const isText = isTextType(mediaType) || isUnspecific(mediaType);
    const text = isText && !this.#readsText(mediaType) ? textOfBase64(base64) : undefined;
    if (text !== undefined) return { part: { type: 'text', text: attachmentText(part.filename, mediaType, text) } };
    if (part.data === base64 && part.mediaType === mediaType) return { part };
    return { part: { ...part, data: base64, mediaType } };
  }

  /** Whether the model fetches a URL itself; a model that declares no URLs is passed those of images. */
  async #readsUrl({ url, mediaType }: { readonly url: URL; readonly mediaType: string }): Promise<boolean> {
    const supported = (await this.#model.supportedUrls) ?? {};
    const patterns = Object.entries(supported).filter(([type]) => matchesType(type, mediaType));
    if (Object.keys(supported).length === 0) return mediaType.startsWith('image/') && !isTextType(mediaType);
    return patterns.some(([, urls]) => urls.some(pattern => pattern.test(url.href)));
  }

  /** Whether the model accepts a text file as a separate part. */
  #readsText(mediaType: string): boolean {
    return mediaType === 'text/plain' && this.#model.provider.includes('anthropic');
  }
}

function downloaded(part: FilePart, from: { readonly url: URL; readonly mediaType: string }, signal: AbortSignal) {
  const known = downloads.get(part);
  if (known !== undefined) return known;
  const loading = download(from, { signal }).catch((error: unknown) => {
    if (signal.aborted) downloads.delete(part);
    return { problem: `it could not be downloaded (${errorText(error).replace(/\.$/, '')})` };
  });
  downloads.set(part, loading);
  return loading;
}

function matchesType(pattern: string, mediaType: string): boolean {
  if (pattern === '*' || pattern === '*/*' || pattern === mediaType) return true;
  return pattern.endsWith('/*') && mediaType.startsWith(pattern.slice(0, -1));
}

function hasFiles(message: LanguageModelV3Message): message is UserMessage {
  return message.role === 'user' && message.content.some(({ type }) => type === 'file');
}

function filesIn(prompt: LanguageModelV3Prompt): FilePart[] {
  return prompt.filter(hasFiles).flatMap(({ content }) => content.filter(part => part.type === 'file'));
}

function getStanding(part: FilePart): Standing {
  let standing = standings.get(part);
  if (standing === undefined) standings.set(part, (standing = { accepted: new Set(), refused: new Map() }));
  return standing;
}

function getName({ filename, mediaType }: FilePart): string {
  return filename === undefined
    ? `An attachment (${mediaType})`
    : `The attachment ${JSON.stringify(filename)} (${mediaType})`;
}

function describeReason(error: unknown): string {
  return `the model does not accept it (${errorText(error).replace(/\.+$/, '')})`;
}
