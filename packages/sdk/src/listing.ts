// A cursor-based list: one page on request, or everything when iterated; pages are fetched as needed.

import { ServerError } from './errors';
import type { CallOptions } from './options';
import type { Transport } from './transport';

export type Page<T> = {
  readonly data: readonly T[];
  /** Pass it as `cursor` to get the next page; null on the last page. */
  readonly next_cursor: string | null;
  /**
   * Only on events listed with `order: 'asc'`, on every page. Keep it and pass it as `cursor` later to get every event since
   * then, each once.
   */
  readonly resume_cursor?: string;
};

export type PageParams = {
  readonly cursor?: string | undefined;
  /** Objects per page, 1 to 100; default 25. */
  readonly limit?: number | undefined;
  /** Unix seconds: created at this time or later. */
  readonly created_from?: number | undefined;
  /** Unix seconds: created before this time. */
  readonly created_to?: number | undefined;
};

export class Listing<T> implements AsyncIterable<T> {
  readonly #fetch: (cursor: string | undefined) => Promise<Page<T>>;
  readonly #first: string | undefined;

  /** @internal */
  constructor(transport: Transport, path: string, params: PageParams, options: CallOptions | undefined) {
    this.#first = params.cursor;
    this.#fetch = async (cursor) => {
      const page = await transport.call(
        { method: 'GET', path: `${path}${queryOf({ ...params, cursor })}`, repeatable: 'always' },
        options,
      );
      return checkedPage<T>(page, cursor);
    };
  }

  /** The first page only, from `cursor` on. */
  page(): Promise<Page<T>> {
    return this.#fetch(this.#first);
  }

  /** All pages, one by one. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let page = await this.page();
    yield page;
    while (page.next_cursor !== null) {
      page = await this.#fetch(page.next_cursor);
      yield page;
    }
  }

  /** All objects over all pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }
}

function queryOf(params: object): string {
  const given = Object.entries(params).filter(([, value]) => value !== undefined);
  const query = given.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  return query.length === 0 ? '' : `?${query.join('&')}`;
}

/** Prevents an endless loop over a page that leads to itself. */
function checkedPage<T>(page: object, cursor: string | undefined): Page<T> {
  const { data, next_cursor: next } = page as { data?: unknown; next_cursor?: unknown };
  const isPage = Array.isArray(data) && (next === null || (typeof next === 'string' && next !== cursor));
  if (isPage) return page as Page<T>;
  const message = 'The listing was answered with what is not a page, or with one that leads to itself.';
  throw new ServerError({ message, code: 'unexpected_answer', type: 'api_error' });
}
