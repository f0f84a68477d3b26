// Reads a page's query: each parameter at most once, and only known values. Pure.

export type PageQuery = Promise<Readonly<Record<string, string | readonly string[] | undefined>>>;
type Read = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The parameter's text; null when it is missing, repeated or too long. */
export function textOf(query: Read, name: string): string | null {
  const value = query[name];
  return typeof value === 'string' && value !== '' && value.length <= 200 ? value : null;
}

/** The parameter when it is one of these, else null. */
export function choiceOf<Choice extends string>(query: Read, name: string, choices: readonly Choice[]): Choice | null {
  const value = textOf(query, name);
  return choices.find((choice) => choice === value) ?? null;
}

/** The parameter when it is the number of a row. */
export function numberOf(query: Read, name: string): string | null {
  const value = textOf(query, name);
  return value !== null && /^[1-9][0-9]{0,17}$/.test(value) ? value : null;
}

/** The addresses of the first and of the next page of a list; `at`: the cursor in the query. Null where there is no page. */
export const pagesOf = ({
  path,
  query,
  name,
  at,
  next,
}: Paging): { newerHref: string | null; olderHref: string | null } => ({
  newerHref: at === null ? null : hrefWith(path, query, {}),
  olderHref: next === null ? null : hrefWith(path, query, { [name]: next }),
});

type Paging = {
  readonly path: string;
  readonly query: Read;
  readonly name: 'after' | 'before';
  readonly at: string | null;
  readonly next: string | null;
};

/** The page's address with one parameter changed. The cursor is dropped unless it is what changes. */
export function hrefWith(path: string, query: Read, changes: Readonly<Record<string, string | null>>): string {
  const next = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, before: undefined, after: undefined, ...changes }))
    if (typeof value === 'string' && value !== '') next.set(name, value);
  return next.size > 0 ? `${path}?${next}` : path;
}
