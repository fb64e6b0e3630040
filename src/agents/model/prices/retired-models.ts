/**
 * When providers shut models down, by the beginning of their names: from their pages about deprecations. A price list keeps
 * such models, so that earlier usage has a cost.
 */
const retirements: Readonly<Record<string, readonly (readonly [name: RegExp, day: string])[]>> = {
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
    [/^claude-(sonnet|opus)-4-0/, '2026-06-15'],
  ],
};

/** Whether a provider has shut a model down by a time. */
export function isRetired(provider: string, model: string, at: Date): boolean {
  const day = at.toISOString().slice(0, 10);
  return retirements[provider]?.some(([name, last]) => name.test(model) && last <= day) ?? false;
}
