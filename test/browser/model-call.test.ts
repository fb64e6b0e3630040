import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool, loopAgent } from '../../src/agents/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { openBrowser, usePage } from './page-scene.ts';
import { expectReadable, takePictures } from './view-checks.ts';

const browser = await openBrowser();
const weather = defineTool({
  name: 'weather',
  description: 'Tells the weather of a place.',
  input: z.object({ place: z.string() }),
  execute: () => ({ context: 'Rain, 11 °C' }),
});
const agent = loopAgent({
  id: 'forecaster',
  instructions: 'You are a careful forecaster.',
  tools: [weather],
  permissions: { rules: [{ tool: 'weather', policy: 'allow' }] },
  model: scriptedModel([[{ toolCall: { name: 'weather', input: { place: 'Oslo' } } }], 'It rains in Oslo.']),
});

describe.skipIf(browser === undefined)('a model call on the page', () => {
  const scene = usePage(browser, [agent]);

  it('shows what was sent, what differs from the call before, the answer, and what it took', async () => {
    const { server, page } = scene;
    const { id } = await server.log.createThread({ title: 'Weather' });
    await (await server.control.start(id, { agent, content: 'How is the weather in Oslo?' })).done;
    await page.goto(`${server.url}/threads/${id}/runs`);
    const steps = page.getByRole('listbox', { name: 'Steps' }).locator('[data-kind=model]');
    await steps.last().click();
    const call = page.getByRole('region', { name: 'Model call' });
    await call.getByText('call before').waitFor();
    expect(await call.locator('p').first().innerText()).toBe(
      'Compared with the call before: its message again, and new ones after. Nothing else changed.',
    );
    await call.getByText('Instructions').click();
    await call.getByText('You are a careful forecaster.').waitFor();
    await call.getByText('1 tool', { exact: true }).click();
    await call.getByText('weather:').waitFor();
    const fresh = call.locator('.call-message[data-new=true]');
    expect(await fresh.locator('h4').allInnerTexts()).toEqual(['assistantnew', 'toolnew']);
    expect(await call.getByText('It rains in Oslo.').count()).toBe(1);
    const facts = await call.locator('.call-facts').innerText();
    for (const fact of ['Model', 'Sent', 'Received', 'Time', '2 of its run']) expect(facts).toContain(fact);
    await expectReadable(page, 'main');
    await takePictures(page, 'model-call');

    await call.getByRole('button', { name: 'call before' }).click();
    await call.getByText('1 of its run').waitFor();
    await call.getByText('How is the weather in Oslo?').waitFor();
    expect(await call.getByText('call before').count()).toBe(0);
  });
});
