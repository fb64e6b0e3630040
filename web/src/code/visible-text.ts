/** Characters that reorder the text around them or cannot be seen: code can read otherwise than it runs. */
const reordering = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** Returns a text in which characters that reorder or hide text are named, such as `[U+202E]`. */
export function visibleText(text: string): string {
  return text.replaceAll(
    reordering,
    character => `[U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
  );
}
