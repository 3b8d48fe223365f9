// Prints which of HOST:PORT… accept a connection: node walk.ts HOST:PORT…
import { connect } from 'node:net';

/** Milliseconds after which a silent address counts as closed. */
const patienceMs = 1_500;

function isOpen(address: string): Promise<boolean> {
  const [host = '', port = ''] = address.split(':');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port), timeout: patienceMs });
    const end = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket
      .on('connect', () => end(true))
      .on('timeout', () => end(false))
      .on('error', () => end(false));
  });
}

const addresses = process.argv.slice(2);
const open = await Promise.all(addresses.map(isOpen));
console.log(addresses.filter((_, index) => open[index]).join('\n'));
