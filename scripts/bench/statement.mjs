// `npm run bench -- statement`: how long a statement of 1,000,000 lines takes as a file, the export of as many payments
// and their year by payer, how much memory the process needs for them, and how long the worker takes to close the month. Takes another number of lines as an argument.

import { tsImport } from 'tsx/esm/api';
import { addStore, openBenchServer, STORE, withMigrated } from './database.mjs';
import { judge } from './setup.mjs';

const LINES = 1_000_000;
const FORMATS = ['csv', 'json', 'journal'];
/** Seconds for a statement, seconds for a file of payments (each line reads its transfer, session and refunds), and mebibytes that do not depend on the number of lines. */
const TARGETS = { seconds: 60, reportSeconds: 120, mebibytes: 200 };

/** Resolves to whether every target was met. */
export async function bench([given]) {
  const count = /^\d+$/.test(given ?? '') ? Number(given) : LINES;
  const measure = await tsImport('./statement/measure.ts', import.meta.url);
  const server = await openBenchServer();
  const closers = [server.stop];
  try {
    const { masterKeys } = await withMigrated(server.url, addStore);
    const reader = measure.openReader(server.url, masterKeys);
    closers.push(reader.end);
    console.log(`${count.toLocaleString('en-US')} payments are inserted`);
    const month = await measure.insertMonth(reader.pool, STORE, count);
    await withMigrated(server.url, (client) => client.query('VACUUM ANALYZE'));
    const [rows, reports] = [[], []];
    for (const format of FORMATS) rows.push(await downloaded(measure, reader, { format, query: `month=${month}` }));
    for (const format of ['csv', 'json'])
      reports.push([
        `payments, ${format}`,
        await reported(measure, reader, { report: 'payments', format, query: `month=${month}` }),
      ]);
    const year = `year=${month.slice(0, 4)}`;
    reports.push([
      'year by payer, csv',
      await reported(measure, reader, { report: 'payers', format: 'csv', query: year }),
    ]);
    rows.push(['close the month', await measure.measureClosing(reader.context)]);
    rows.push(await downloaded(measure, reader, { format: 'csv', query: `month=${month}` }, 'csv, hash checked'));
    print([...rows, ...reports]);
    return judge([
      goal('the slowest file', Math.max(...rows.map(([, { seconds }]) => seconds)), {
        most: TARGETS.seconds,
        unit: 's',
      }),
      goal('the slowest report', Math.max(...reports.map(([, { seconds }]) => seconds)), {
        most: TARGETS.reportSeconds,
        unit: 's',
      }),
      goal('the most memory', Math.max(...[...rows, ...reports].map(([, { mebibytes }]) => mebibytes)), {
        most: TARGETS.mebibytes,
        unit: 'MiB',
      }),
    ]);
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

const downloaded = async (measure, { context }, file, name = file.format) => [
  name,
  await measure.measureDownload(context, STORE, file),
];

const reported = (measure, { context }, file) => measure.measureReport(context, STORE, file);

const goal = (what, value, { most, unit }) => ({
  what,
  value: `${value.toFixed(1)} ${unit}`,
  target: `at most ${most} ${unit}`,
  met: value <= most,
});

function print(rows) {
  console.log(
    `\n${''.padEnd(20)}${['seconds', 'of CPU', 'MiB memory', 'MB file', 'lines'].map((name) => name.padStart(12)).join('')}`,
  );
  for (const [name, { seconds, cpuSeconds, mebibytes, bytes, lines }] of rows) {
    const values = [
      seconds.toFixed(1),
      cpuSeconds.toFixed(1),
      mebibytes.toFixed(0),
      (bytes / 1e6).toFixed(0),
      lines.toLocaleString('en-US'),
    ];
    console.log(`${name.padEnd(20)}${values.map((value) => value.padStart(12)).join('')}`);
  }
}
