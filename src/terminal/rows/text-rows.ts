import type { Line } from '../screen/styled-line.ts';
import { MarkdownLines } from './markdown-lines.ts';
import { type MarkdownUnit, MarkdownUnits } from './markdown-units.ts';
import type { Row } from './row.ts';

/** Turns one streamed text into rows, each printed when nothing that follows can change it. */
export class TextRows {
  readonly id: string;
  readonly #messageId: string;
  readonly #units = new MarkdownUnits();
  #count = 0;
  /** The fence that is open: what follows is code of its language. */
  #fence: MarkdownUnit | undefined;
  /** Comments and strings that are open go on in the next row of the same fence. */
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

  /** Takes the text so far; returns the rows that are finished by it. Empty lines at its end are left out. */
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

  /** Draws what is not finished yet. */
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
