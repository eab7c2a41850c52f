/** Debian's Chromium, driven by playwright-core: one browser per file, a fresh context per person. */
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { PASSWORD, type Site } from './site.ts';

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });

export interface Person {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser complained of: errors in scripts, refused by the content policy, requests elsewhere. */
  readonly complaints: readonly string[];
}

export interface PersonOptions {
  readonly colorScheme?: 'light' | 'dark';
  readonly viewport?: { readonly width: number; readonly height: number };
}

export const openBrowser = async (
  { browser, site }: { readonly browser: Browser; readonly site: Site },
  options: PersonOptions = {},
): Promise<Person> => {
  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    viewport: options.viewport ?? { width: 1440, height: 900 },
    colorScheme: options.colorScheme ?? 'light',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`script: ${error.message}`));
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text()))
      complaints.push(`policy: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(site.url) && !request.url().startsWith('blob:'))
      complaints.push(`elsewhere: ${request.url()}`);
  });
  return { page, context, complaints };
};

/** The session alone, as the form of the sign-in page makes it; no page is opened yet. */
export const signIn = async (person: Person, site: Site, name: string): Promise<Page> => {
  const answer = await person.context.request.post(`${site.url}/api/v2/session`, {
    data: { name, password: PASSWORD },
  });
  if (!answer.ok()) throw new Error(`${name} cannot sign in: ${await answer.text()}`);
  return person.page;
};

/** The pointer goes down on a machine and carries it over a role. */
export const carryOnto = async (page: Page, machine: string, role: string): Promise<void> => {
  const from = await page.locator(`[data-machine="${machine}"]`).boundingBox();
  const to = await page.locator(`[data-drop-role="${role}"]`).first().boundingBox();
  if (from === null || to === null) throw new Error(`cannot see ${machine} or ${role}`);
  await page.mouse.move(from.x + 40, from.y + 12);
  await page.mouse.down();
  await page.mouse.move(from.x - 30, from.y + 30, { steps: 3 });
  await page.mouse.move(to.x + to.width / 2, to.y + Math.min(20, to.height / 2), { steps: 4 });
};

/** A person's drag: over the target until it has answered; the pointer is still down. */
export const dragOnto = async (page: Page, machine: string, role: string): Promise<void> => {
  await carryOnto(page, machine, role);
  await page.locator('.drag-ghost .verdict').waitFor();
};
