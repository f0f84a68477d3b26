// The secret of a mail's link, as the page was opened with it.

export type LinkParams = Promise<{ token?: string | string[] }>;

/** Longer than any that is made. */
const LONGEST_TOKEN = 100;

/** Null when the address holds none. Whether it still opens anything is for the request to find out. */
export async function linkToken(searchParams: LinkParams): Promise<string | null> {
  const { token } = await searchParams;
  return typeof token === 'string' && token.length > 0 && token.length <= LONGEST_TOKEN ? token : null;
}
