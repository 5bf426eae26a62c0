/**
 * The part of a browser that signing in needs: cookies, redirects, forms. `test/browser/stand-in.test.ts` compares it with
 * Chromium.
 */
interface Page {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export class Browser {
  /** By origin; real browsers would send them over https or to localhost alone. */
  readonly #cookies = new Map<string, Map<string, string>>();
  /** The page that is shown: forms are sent from it. */
  #shown: Page | undefined;

  cookiesOf(url: string): Map<string, string> {
    const { origin } = new URL(url);
    const own = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, own);
    return own;
  }

  /** Follows redirects until a page, or until `stopAt` says so of an address, which is then not asked. */
  async open(
    url: string,
    {
      form,
      stopAt = () => false,
    }: {
      form?: Readonly<Record<string, string>>;
      stopAt?: (url: string) => boolean;
    } = {},
  ): Promise<Page> {
    let page = await this.#ask(url, form);
    for (let steps = 0; steps < 20; steps += 1) {
      const location = page.headers.get('location');
      if (page.status < 300 || page.status > 399 || location === null) {
        this.#shown = page;
        return page;
      }
      const next = new URL(location, page.url).href;
      if (stopAt(next)) return { ...page, url: next };
      page = await this.#ask(next);
    }
    throw new Error(`redirects without end from ${url}`);
  }

  /** The header Origin of a form that the page shown sends to `url` (Fetch, section "append a request Origin header"). */
  #originHeader(url: string): string {
    if (this.#shown === undefined) throw new Error('a form is sent from a page: open one first');
    const { origin } = new URL(this.#shown.url);
    const policy = this.#shown.headers.get('referrer-policy');
    if (policy === 'no-referrer') return 'null';
    const isSame = origin === new URL(url).origin;
    return policy === 'same-origin' && !isSame ? 'null' : origin;
  }

  async #ask(url: string, form?: Readonly<Record<string, string>>): Promise<Page> {
    const cookies = this.cookiesOf(url);
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(form && { origin: this.#originHeader(url) }),
      },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /Max-Age=0(;|$)/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return { url, status: answer.status, headers: answer.headers, text: await answer.text() };
  }
}

/** The hidden fields of a page's form. */
export const hiddenFields = ({ text }: Page): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  );
