type Retirement = readonly [name: RegExp, day: string];

/**
 * When makers shut models down, by the beginning of their names: from their pages about deprecations. They are gone with
 * every seller, too. A price list keeps such models, so that earlier usage has a cost.
 */
const byMaker: Readonly<Record<string, readonly Retirement[]>> = {
  openai: [
    [/^(ada|babbage|curie|davinci|text-)/, '2024-01-04'],
    [/^gpt-3\.5-(0301|turbo-(0301|0613|16k))/, '2024-09-13'],
    [/^gpt-4-vision-preview/, '2024-12-06'],
    [/^gpt-4-32k/, '2025-06-06'],
    [/^gpt-4\.5-preview/, '2025-07-14'],
    [/^o1-preview/, '2025-07-28'],
    [/^o1-mini/, '2025-10-27'],
    [/^codex-mini/, '2026-01-16'],
    [/^chatgpt-4o-latest/, '2026-02-17'],
    [/^(computer-use|gpt-4o(-mini)?-(audio|realtime|search)-preview|o[34](-mini)?-deep-research)/, '2026-07-23'],
    [/^gpt-5(-codex|-chat-latest|\.1-codex|\.1-chat-latest|\.2-codex)/, '2026-07-23'],
    [/^gpt-3\.5-turbo-(1106|instruct)/, '2026-09-28'],
    [/^(gpt-3\.5-turbo|gpt-4(-0613|-turbo)?$)/, '2026-10-23'],
  ],
  anthropic: [
    [/^claude-(v1|1|instant)/, '2024-11-06'],
    [/^claude-(2|3-sonnet)/, '2025-07-21'],
    [/^claude-3-5-sonnet/, '2025-10-28'],
    [/^claude-3-opus/, '2026-01-05'],
    [/^claude-3-(7-sonnet|5-haiku)/, '2026-02-19'],
    [/^claude-((sonnet|opus)-4(-0|$)|4-(sonnet|opus))/, '2026-06-15'],
  ],
  google: [
    [/^palm-2/, '2024-10-09'],
    [/^gemini-(pro$|1\.0)/, '2025-04-09'],
    [/^gemini-(1\.5|(flash|pro)-1\.5)/, '2025-09-29'],
    [/^gemini-2\.5-(pro|flash|flash-lite)-preview/, '2026-02-17'],
    [/^gemini-3-pro-preview/, '2026-03-09'],
    [/^gemini-2\.0-flash/, '2026-06-01'],
  ],
  mistral: [
    [/^(mistral-7b|mixtral-8x|mistral-tiny)/, '2025-03-30'],
    [/^mistral-medium-2312/, '2025-06-16'],
  ],
};

/** Models that one seller does not serve any more. */
const bySeller: Readonly<Record<string, readonly Retirement[]>> = {
  groq: [
    [/^(llama2-70b|gemma-7b)/, '2024-12-18'],
    [/^(llama-3\.1-(70b|405b)|llama3-groq)/, '2025-01-24'],
    [/^mixtral-8x7b/, '2025-03-20'],
    [/^llama-3\.(2-|3-70b-specdec)/, '2025-04-14'],
    [/^(llama3-|mistral-saba)/, '2025-08-30'],
    [/^(gemma2|deepseek-r1-distill|moonshotai\/kimi-k2-instruct$)/, '2025-10-10'],
    [/^llama-3\.(1-8b-instant|3-70b-versatile)/, '2026-08-16'],
  ],
};

/** Whether a model of a provider is shut down by a time. */
export function isRetired(provider: string, model: string, at: Date): boolean {
  const day = at.toISOString().slice(0, 10);
  // Sellers name the maker before the model, and write its version in other ways.
  const name = model.slice(model.lastIndexOf('/') + 1);
  const names = [name, name.replace(/^claude-.*/, claude => claude.replaceAll('.', '-'))];
  const isListed = (list: readonly Retirement[]) =>
    list.some(([is, last]) => last <= day && names.some(each => is.test(each)));
  return (
    isListed(Object.values(byMaker).flat()) ||
    (bySeller[provider] ?? []).some(([is, last]) => last <= day && is.test(model))
  );
}

/** Matches the names of models that do not answer in text. */
const otherKinds =
  /(?:^|[-./])(?:embed|tts|transcribe|image|audio|realtime|live|guard|safeguard|moderation|omni)(?:-|$)/i;

/** Whether a model answers in text: not one for images, speech, embeddings or checks. */
export function answersInText(model: string): boolean {
  return !otherKinds.test(model);
}
