// The merchants' receivers in a separate process, one server each. Most answer at once, some never. It counts
// deliveries by event and reports, on an IPC message, first arrivals and repeats.

import http from 'node:http';

const [count = '1', hanging = '0'] = process.argv.slice(2);
const first = new Map();
let again = 0;

function receiver(hangs) {
  const server = http.createServer((request, response) => {
    request.resume();
    if (hangs) return;
    const id = request.headers['x-service-event-id'];
    if (first.has(id)) again++;
    else first.set(id, Date.now());
    response.writeHead(200, { 'content-length': '0' }).end();
  });
  server.keepAliveTimeout = 5000;
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
}

process.on('message', ({ ask }) => {
  if (ask === 'count') process.send({ arrived: first.size, again });
  if (ask === 'take') {
    process.send({ arrivals: [...first], again });
    first.clear();
    again = 0;
  }
});
const ports = [];
for (let n = 0; n < Number(count); n++) ports.push(await receiver(n < Number(hanging)));
process.send({ ports });
