import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** What axe finds wrong in the view as it is now, as readable lines. */
async function violationsOf(page: Page, part: string): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<{ violations: axe.Result[] }>(`axe.run(${JSON.stringify(part)})`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

/** Expects that a part of the page is accessible in light and dark, and that nothing is wider than a phone. */
export async function expectReadable(page: Page, part = 'main'): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violationsOf(page, part)).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  const before = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(await violationsOf(page, part)).toEqual([]);
  if (before !== null) await page.setViewportSize(before);
}

/** Stores pictures of a view for a person to look at, when `SINGLETREE_PICTURES` names a folder. */
export async function takePictures(page: Page, name: string): Promise<void> {
  const folder = process.env['SINGLETREE_PICTURES'];
  if (folder === undefined) return;
  const before = page.viewportSize();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.screenshot({ path: `${folder}/${name}-${colorScheme}.png` });
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 390, height: 800 });
  await page.screenshot({ path: `${folder}/${name}-phone.png` });
  if (before !== null) await page.setViewportSize(before);
}

/** Returns the texts of a row of a table, by the head of the row. */
export function cellsOf(page: Page, name: string): Promise<string[]> {
  return page
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name, exact: true }) })
    .getByRole('cell')
    .allInnerTexts();
}

/** Chooses a value of a picker, such as the agent of the next message, by its name. */
export async function choose(page: Page, label: string, name: string): Promise<void> {
  await page.getByRole('button', { name: `${label}: ` }).click();
  await page.getByRole('listbox', { name: label }).getByRole('option', { name }).first().click();
}

/** Returns the value that a picker shows. */
export function chosenIn(page: Page, label: string): Promise<string> {
  return page.getByRole('button', { name: `${label}: ` }).innerText();
}
