/** The first 32 bits of the fractions of the cube roots (or square roots, with 2) of the first primes. */
function rootFractions(count: number, root: 2 | 3): number[] {
  const words: number[] = [];
  for (let candidate = 2; words.length < count; candidate++) {
    let isPrime = true;
    for (let divisor = 2; divisor * divisor <= candidate; divisor++) if (candidate % divisor === 0) isPrime = false;
    if (isPrime) words.push(((candidate ** (1 / root) % 1) * 2 ** 32) | 0);
  }
  return words;
}

const initial = rootFractions(8, 2);
const rounds = rootFractions(64, 3);

const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

/** Returns the SHA-256 of a text in UTF-8, as hexadecimal digits; it works at once in browsers, too. */
export function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const padded = new Uint8Array(((bytes.length + 8) >> 6) * 64 + 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, bytes.length << 3);
  const hash = [...initial];
  const words = new Int32Array(64);
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getInt32(block + i * 4);
    for (let i = 16; i < 64; i++) {
      const [a, b] = [words[i - 15] as number, words[i - 2] as number];
      const mixedA = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3);
      const mixedB = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10);
      words[i] = (words[i - 16] as number) + mixedA + (words[i - 7] as number) + mixedB;
    }
    let [a, b, c, d, e, f, g, h] = hash as [number, number, number, number, number, number, number, number];
    for (let i = 0; i < 64; i++) {
      const choice = (e & f) ^ (~e & g);
      const first =
        (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + (rounds[i] as number) + (words[i] as number)) |
        0;
      const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [a, b, c, d, e, f, g, h] = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
    }
    for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) hash[i] = ((hash[i] as number) + word) | 0;
  }
  return hash.map(word => (word >>> 0).toString(16).padStart(8, '0')).join('');
}
