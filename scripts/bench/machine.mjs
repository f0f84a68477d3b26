// How busy the machine was, of which the product, the database and the load generator are parts: what other programs took
// shows in the difference.

import os from 'node:os';

/** Begins to look. The function it answers tells how many processors were busy on average since then. */
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
