// Keep-alive connections that each carry one request at a time. They are used in turn, because servers close a
// connection that stays idle for long. A connection that breaks is reported and reopened.

import net from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const REOPEN_MS = 100;

/** Opens this many connections to a local port. The caller sets `onAnswer` and `onLost` before it sends. */
export async function openConnections(port, count) {
  const open = new Set();
  const idle = new Set();
  let isClosed = false;
  const connections = {
    onAnswer: (_n, _due, _answer) => {},
    /** `n` is null when the connection carried no request. */
    onLost: (_n, _due, _error) => {},
    hasIdle: () => idle.size > 0,
    send(bytes, n, due) {
      const [connection] = idle;
      idle.delete(connection);
      connection.n = n;
      connection.due = due;
      connection.socket.write(bytes);
    },
    close() {
      isClosed = true;
      for (const { socket } of open) socket.destroy();
    },
  };

  const add = (socket) => {
    const connection = { socket, n: null, due: 0 };
    open.add(connection);
    idle.add(connection);
    onAnswers(socket, (answer) => {
      const { n, due } = connection;
      connection.n = null;
      idle.add(connection);
      connections.onAnswer(n, due, answer);
    });
    socket.on('error', () => {});
    socket.once('close', () => {
      open.delete(connection);
      if (isClosed) return;
      idle.delete(connection);
      connections.onLost(connection.n, connection.due, new Error('the server closed a connection'));
      reopen();
    });
  };
  const reopen = () => {
    if (isClosed) return;
    connect(port).then(
      (socket) => (isClosed ? socket.destroy() : add(socket)),
      () => setTimeout(reopen, REOPEN_MS),
    );
  };
  for (const socket of await Promise.all(Array.from({ length: count }, () => connect(port)))) add(socket);
  return connections;
}

function connect(port) {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true }, () => {
      socket.off('error', reject);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

/** Calls back with each complete response; every server here sends a Content-Length. */
function onAnswers(socket, callback) {
  let held = null;
  socket.on('data', (chunk) => {
    const bytes = held ? Buffer.concat([held, chunk]) : chunk;
    held = null;
    const headEnd = bytes.indexOf(HEAD_END);
    if (headEnd < 0) return void (held = bytes);
    const head = bytes.latin1Slice(0, headEnd);
    const length = Number(/content-length: *(\d+)/i.exec(head)?.[1]);
    const end = headEnd + HEAD_END.length + length;
    if (Number.isNaN(length)) return socket.destroy(new Error('an answer without Content-Length'));
    if (bytes.length < end) return void (held = bytes);
    return callback({ status: Number(head.slice(9, 12)), head, body: bytes.utf8Slice(end - length, end) });
  });
}
