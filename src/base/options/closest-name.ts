/** Returns the name that a misspelt one was probably meant to be: at most a third of it differs. */
export function closestName(given: string, names: readonly string[]): string | undefined {
  const [closest] = names
    .map(name => ({ name, edits: editsBetween(given.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= name.length / 3)
    .toSorted((a, b) => a.edits - b.edits);
  return closest?.name;
}

/** Returns the edit distance of two words. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [index, letter] of a.split('').entries()) {
    const next = [index + 1];
    for (let at = 1; at <= b.length; at++) {
      const [left = 0, above = 0, before = 0] = [next[at - 1], row[at], row[at - 1]];
      next.push(Math.min(left + 1, above + 1, before + (letter === b[at - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
