// How busy the whole machine was. Subtracting the product, the database and the load generator leaves the load of other
// programs.

import os from 'node:os';

/** Starts measuring. The returned function reports the average number of busy processors since then. */
export function watchMachine() {
  const before = times();
  return () => {
    const after = times();
    const busy = after.busy - before.busy;
    return (busy / (busy + after.idle - before.idle)) * os.cpus().length;
  };
}

function times() {
  const sum = { busy: 0, idle: 0 };
  for (const { times: one } of os.cpus()) {
    sum.busy += one.user + one.nice + one.sys + one.irq;
    sum.idle += one.idle;
  }
  return sum;
}
