// `npm run bench -- load`: a steady load of signed creates on an installation's web process and database, with every
// commit on disk. Open loop: requests are sent when due, however long others take.

import { watchMachine } from './machine.mjs';
import { onProduct } from './on-product.mjs';
import { judge } from './setup.mjs';

const RATE = 1000;
const SECONDS = 60;
const P99_MS = 50;
const WARM_UP_SECONDS = 5;
/** More than are in use at once at this rate and latency. */
const CONNECTIONS = 128;

/** Resolves to whether every target was met. */
export const bench = () => onProduct(measure);

async function measure(generator, server) {
  const order = (seconds) => ({
    kind: 'create',
    rate: RATE,
    seconds,
    prepared: RATE * seconds,
    connections: CONNECTIONS,
    tolerant: true,
  });
  await generator.send(server, order(WARM_UP_SECONDS));
  const busy = watchMachine();
  const result = await generator.send(server, order(SECONDS));
  const machine = busy();
  const perSecond = (value) => ((value * result.perSecond) / 1e6).toFixed(2);
  console.log(`\n${RATE} signed creates a second for ${SECONDS} s, ${CONNECTIONS} connections`);
  console.log(
    `p50 ${result.p50.toFixed(2)} ms, p99 ${result.p99.toFixed(2)} ms, longest ${result.most.toFixed(0)} ms; ` +
      `worst second's p99 ${Math.max(...result.timeline.map(({ p99 }) => p99)).toFixed(0)} ms`,
  );
  console.log(
    `processors busy: ${machine.toFixed(2)} in all, web ${result.serverMicros === null ? '-' : perSecond(result.serverMicros)}, ` +
      `load generator ${(result.clientCpuSeconds / result.seconds).toFixed(2)}; web's most memory ${server.peakMegabytes()?.toFixed(0) ?? '-'} MB`,
  );
  console.log(`p99 by second, ms: ${result.timeline.map(({ p99 }) => p99.toFixed(0)).join(' ')}`);
  if (result.sample) console.log(`first refusal: ${result.sample}`);
  const lost = result.refused + result.unsent;
  const answered = result.counts[200] ?? 0;
  return judge([
    {
      what: 'answered in time that they came',
      value: answered,
      target: RATE * SECONDS,
      met: answered === RATE * SECONDS,
    },
    { what: 'refused, lost or never sent', value: lost, target: 0, met: lost === 0 },
    { what: 'p99, ms', value: result.p99.toFixed(2), target: `under ${P99_MS}`, met: result.p99 < P99_MS },
  ]);
}
