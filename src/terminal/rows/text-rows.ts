import type { Line } from '../screen/styled-line.ts';
import { MarkdownLines, type MarkdownUnit } from './markdown-lines.ts';
import type { Row } from './row.ts';

/** Turns one streamed text into rows, each printed when nothing that follows can change it. */
export class TextRows {
  readonly id: string;
  readonly #messageId: string;
  readonly #units = new MarkdownUnits();
  #count = 0;
  /** The fence that is open: what follows is code of its language. */
  #fence: MarkdownUnit | undefined;
  /** The code of the open fence so far, because comments and strings can continue in its next row. */
  #codeBefore: MarkdownUnit[] = [];
  #hasBlank = false;

  constructor(id: string, messageId: string) {
    this.id = id;
    this.#messageId = messageId;
  }

  /** Whether rows were returned. */
  get hasRows(): boolean {
    return this.#count > 0;
  }

  /** Takes the text so far and returns the rows that it completes, without trailing empty lines. */
  take(text: string, isWhole: boolean): Row[] {
    const rows: Row[] = [];
    let units: MarkdownUnit[] = [];
    const flush = () => {
      if (units.length > 0) rows.push(this.#row(units));
      units = [];
    };
    for (const unit of this.#units.take(text, isWhole)) {
      if (unit.kind === 'blank') {
        this.#hasBlank = this.#count + units.length > 0;
        continue;
      }
      if (this.#hasBlank) units.push({ kind: 'blank' });
      this.#hasBlank = false;
      units.push(unit);
      flush();
    }
    return rows;
  }

  /** Draws the unfinished part of the text. */
  open(text: string, width: number): readonly Line[] {
    const units = this.#units.open(text);
    if (units.length === 0) return [];
    return this.#draw(
      [...(this.#hasBlank ? [{ kind: 'blank' } as const] : []), ...units],
      width,
      this.#codeBefore,
      this.#fence,
    );
  }

  #row(units: readonly MarkdownUnit[]): Row {
    const [before, fence] = [this.#codeBefore, this.#fence];
    for (const unit of units) {
      if (unit.kind === 'fence') [this.#fence, this.#codeBefore] = [unit, []];
      else if (unit.kind === 'fence_end') [this.#fence, this.#codeBefore] = [undefined, []];
      else if (unit.kind === 'code') this.#codeBefore = [...this.#codeBefore, unit].slice(-mostContext);
    }
    const isContinued = this.#count > 0;
    return {
      id: `${this.id}:${this.#count++}`,
      kind: 'text',
      messageId: this.#messageId,
      isContinued,
      lines: width => this.#draw(units, width, before, fence),
    };
  }

  /** The code before a line decides whether it is inside a comment. */
  #draw(
    units: readonly MarkdownUnit[],
    width: number,
    before: readonly MarkdownUnit[],
    fence: MarkdownUnit | undefined,
  ): Line[] {
    const lines = new MarkdownLines();
    if (fence !== undefined) lines.draw(fence, width);
    for (const unit of before) lines.draw(unit, width);
    return units.flatMap(unit => lines.draw(unit, width));
  }
}

/** How many lines of code before a line are looked at to highlight it. */
const mostContext = 40;

/** The longest piece that is held back until it is whole, in lines and in characters. */
const mostLines = 60;
const mostCharacters = 4_000;

const fenceMark = /^ {0,12}(`{3,}|~{3,})\s*([^\s`]*)/;
const itemMark = /^\s*(?:[-*+]|\d{1,9}[.)])\s/;
const headingMark = /^ {0,3}#{1,6}(?:\s|$)/;
const ruleMark = /^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/;
const tableRule = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

/**
 * Splits Markdown that is still being written into pieces, each as soon as no further text can change it. The pieces
 * depend only on the text, not on how it is split into chunks.
 */
export class MarkdownUnits {
  #offset = 0;
  #held: string[] = [];
  #heldLength = 0;
  #kind: 'none' | 'prose' | 'table' = 'none';
  #fence: string | undefined;

  /** How much of the text was split into lines. */
  get offset(): number {
    return this.#offset;
  }

  /** Takes the text so far, which begins with the one of the last call; returns the pieces that are complete now. */
  take(text: string, isWhole: boolean): MarkdownUnit[] {
    const units: MarkdownUnit[] = [];
    for (;;) {
      const end = text.indexOf('\n', this.#offset);
      const length = (end < 0 ? text.length : end) - this.#offset;
      if (length > mostCharacters) {
        units.push(...this.#flush(true), this.#longPiece(text));
        continue;
      }
      if (end < 0) break;
      units.push(...this.#line(text.slice(this.#offset, end).replace(/\r$/, '')));
      this.#offset = end + 1;
    }
    if (!isWhole) return units;
    if (this.#offset < text.length) units.push(...this.#line(text.slice(this.#offset)));
    this.#offset = text.length;
    return [...units, ...this.#flush(false)];
  }

  /** Returns the pieces that are not complete yet, as they would be if the text ended here. */
  open(text: string): MarkdownUnit[] {
    const rest = text.slice(this.#offset);
    if (this.#fence !== undefined) return rest === '' ? [] : [{ kind: 'code', text: rest }];
    const lines = rest === '' ? this.#held : [...this.#held, ...rest.split('\n')];
    if (lines.length === 0) return [];
    return [{ kind: 'prose', text: lines.join('\n') }];
  }

  /** The next characters of a line that is too long to wait for its end. */
  #longPiece(text: string): MarkdownUnit {
    const from = this.#offset;
    const isSplit = /[\ud800-\udbff]/.test(text[from + mostCharacters - 1] ?? '');
    this.#offset += mostCharacters + (isSplit ? 1 : 0);
    return { kind: this.#fence === undefined ? 'raw' : 'code', text: text.slice(from, this.#offset) };
  }

  #line(line: string): MarkdownUnit[] {
    const fence = fenceMark.exec(line);
    if (this.#fence !== undefined) {
      if (fence?.[1]?.startsWith(this.#fence) !== true || line.trim() !== fence[1])
        return [{ kind: 'code', text: line }];
      this.#fence = undefined;
      return [{ kind: 'fence_end' }];
    }
    if (fence !== null) {
      const before = this.#flush(false);
      this.#fence = fence[1] as string;
      return [...before, { kind: 'fence', language: fence[2] ?? '' }];
    }
    if (line.trim() === '') return [...this.#flush(false), { kind: 'blank' }];
    if (this.#kind === 'table') {
      if (!line.includes('|')) return [...this.#flush(false), ...this.#line(line)];
      return this.#hold(line);
    }
    if (
      this.#kind === 'prose' &&
      this.#held.length === 1 &&
      tableRule.test(line) &&
      this.#held[0]?.includes('|') &&
      line.includes('|')
    ) {
      this.#kind = 'table';
      return this.#hold(line);
    }
    if (headingMark.test(line) || ruleMark.test(line)) return [...this.#flush(false), { kind: 'prose', text: line }];
    const before = itemMark.test(line) || this.#mayBeginTable(line) ? this.#flush(false) : [];
    this.#kind = 'prose';
    return [...before, ...this.#hold(line)];
  }

  /** The head of a table must be the first line of what is held. */
  #mayBeginTable(line: string): boolean {
    return /^\s*\|/.test(line);
  }

  #hold(line: string): MarkdownUnit[] {
    this.#held.push(line);
    this.#heldLength += line.length;
    return this.#held.length > mostLines || this.#heldLength > mostCharacters ? this.#flush(true) : [];
  }

  #flush(isRaw: boolean): MarkdownUnit[] {
    const [lines, kind] = [this.#held, this.#kind];
    [this.#held, this.#heldLength, this.#kind] = [[], 0, 'none'];
    if (lines.length === 0) return [];
    if (isRaw) return lines.map(text => ({ kind: 'raw', text }));
    return kind === 'table' ? [{ kind: 'table', lines }] : [{ kind: 'prose', text: lines.join('\n') }];
  }
}
