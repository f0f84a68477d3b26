// Exports that spreadsheets open directly and that need little memory (rows O-01, O-02).

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvResponse, safeCell, type Cell, type Portions } from './csv';

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\0=1', '\uFF1D1+1', '\uFF0B1', '\uFF0D1', '\uFF201'])(
  'O-01: a cell that begins like a formula is text: %j',
  (text) => {
    expect(safeCell(text)).toBe(`'${text}`.replaceAll('\0', ''));
  },
);

/** Reads RFC 4180 by its grammar alone. */
function parse(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at < text.length;) {
    let cell = '';
    if (text[at] === '"') {
      for (at++; !(text[at] === '"' && text[at + 1] !== '"'); at++) {
        if (text[at] === '"') at++;
        cell += text[at];
      }
      at++;
    } else while (at < text.length && text[at] !== ',' && text[at] !== '\r') cell += text[at++];
    row.push(cell);
    if (text[at] === ',') {
      at++;
      continue;
    }
    at += 2;
    rows.push(row);
    row = [];
  }
  return rows;
}

async function* of(...portions: Cell[][][]): Portions {
  yield* portions;
}
const read = async (response: Response): Promise<string> => {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer());
  expect(text.startsWith('\uFEFF')).toBe(true);
  return text.slice(1);
};

test('O-01: a reader gets back the content of every cell, and never a formula', async () => {
  const cell = fc.oneof(fc.string(), fc.constantFrom('"', ',', '\r\n', 'a"b', '=1', '"=1"', 'x\ny', "'"));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), async (rows) => {
      const [head, ...found] = parse(await read(csvResponse('a.csv', ['a', 'b'], of(rows))));
      expect(head).toEqual(['a', 'b']);
      expect(found).toEqual(rows.map((row) => row.map(safeCell)));
      for (const one of found.flat()) expect(one).not.toMatch(/^[=+\-@\t\r\0\uFF1D\uFF0B\uFF0D\uFF20]/);
    }),
  );
});

test('O-01: a cell that holds a semicolon stays one cell where semicolons separate', async () => {
  const text = await read(csvResponse('a.csv', ['a'], of([['B;=1+1'], [null], [12]])));
  expect(text).toBe('"a"\r\n"B;=1+1"\r\n""\r\n"12"\r\n');
});

test('O-02: a portion is read only after the client took the last one, and none after it disconnected', async () => {
  let made = 0;
  let isEnded = false;
  async function* endless(): Portions {
    try {
      for (;;) {
        made++;
        yield Array.from({ length: 1000 }, (_, n) => [n, 'x'.repeat(100)]);
      }
    } finally {
      isEnded = true;
    }
  }
  const response = csvResponse('a.csv', ['n', 'x'], endless());
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  for (let n = 0; n < 11; n++) await reader.read();
  expect(made).toBe(10);
  await reader.cancel();
  expect({ made, isEnded }).toEqual({ made: 10, isEnded: true });
});

test('O-02: a million rows need no more memory than a few', async () => {
  async function* many(): Portions {
    for (let n = 0; n < 1000; n++)
      yield Array.from({ length: 1000 }, (_, m) => [n * 1000 + m, 'order', 'x'.repeat(40)]);
  }
  const reader = (csvResponse('a.csv', ['n', 'order', 'x'], many()).body as ReadableStream<Uint8Array>).getReader();
  let bytes = 0;
  let most = 0;
  const before = process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed;
  for (let n = 0; ; n++) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
    if (n % 50 === 0) {
      const used = process.memoryUsage();
      most = Math.max(most, used.arrayBuffers + used.heapUsed - before);
    }
  }
  expect(bytes).toBeGreaterThan(50_000_000);
  // Uncollected garbage counts too; the file itself is several times as large.
  expect(most).toBeLessThan(bytes);
}, 60_000);
