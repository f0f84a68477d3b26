// A batch that fails is worked on in halves, unless the database is away: then each half would only wait for it again.

import { expect, test } from 'vitest';
import { inHalves } from './isolate';

const ITEMS = Array.from({ length: 64 }, (_, at) => at);

/** How often the work ran and what came of it, when it throws this. */
async function halved(error: Error, isThrown: (some: readonly number[]) => boolean) {
  let calls = 0;
  const work = async (some: readonly number[]) => {
    calls++;
    if (isThrown(some)) throw error;
    return some;
  };
  try {
    return { outcome: await inHalves(ITEMS, work), calls };
  } catch (thrown) {
    return { outcome: thrown, calls };
  }
}
const ofState = (code: string) => Object.assign(new Error(code), { code });

test.each(['23514', '58030'])('one item that is refused or cannot be read (%s) fails alone', async (code) => {
  const error = ofState(code);
  const { outcome } = await halved(error, (some) => some.includes(17));
  expect(outcome).toMatchObject({ failed: [{ item: 17, error }] });
  expect((outcome as { results: number[][] }).results.flat()).toEqual(ITEMS.filter((one) => one !== 17));
});

test.each([
  ['the server refuses connections', Object.assign(new Error(), { code: 'ECONNREFUSED' })],
  ['no connection comes', new Error('timeout exceeded when trying to connect')],
  ['the server shuts down', ofState('57P01')],
  ['the server takes no writes', ofState('25006')],
])('while the database is away, because %s, the batch is tried once and fails as a whole', async (_, error) => {
  expect(await halved(error, () => true)).toEqual({ calls: 1, outcome: error });
});

test.each(['40001', '53200', '53400', '57014'])(
  'a batch that may be too large (%s) is worked on in halves',
  async (code) => {
    const { outcome } = await halved(ofState(code), (some) => some.length > 8);
    expect(outcome).toMatchObject({ failed: [] });
  },
);
